"""The commands of evolution: ``evolve run``, ``list``, ``show``, ``approve``, ``reject``, ``rollback`` and more."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ..state.errors import CallerError, WorldError
from .as_json import dumps
from .ask_commands import Json, Quiet
from .evolve_report import cycle_lines, decision_lines, genome_lines, show_lines, show_object
from .exits import ExitCode
from .lines import line, printable
from .output import standard_error, standard_output
from .replay_command import replay_command
from .views import Shape, show, watching

if TYPE_CHECKING:
    from ..graph.evolution_services import EvolutionServices
    from ..state.evolution import Decision, Layer

evolve_app = typer.Typer(help="Improve genomes by controlled evolution; a person decides.", no_args_is_help=True)

LayerOption = Annotated[
    str, typer.Option("--layer", "-l", help="postprocess, routing, cache_policy or retrieval.", metavar="LAYER")
]
DomainOption = Annotated[
    str, typer.Option("--domain", "-d", help='A documentation domain, or "code" for layer retrieval.', metavar="NAME")
]
Reviewer = Annotated[str | None, typer.Option("--as", help="Who decides (default: the login name).", metavar="NAME")]
GenomeArgument = Annotated[int, typer.Argument(help="Id of the genome.")]


@evolve_app.command("run")
def run_command(
    layer: LayerOption | None = None,
    domain: DomainOption | None = None,
    n: Annotated[int, typer.Option("--n", min=1, max=20, help="Most candidates.")] = 5,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same offline candidates.")] = 0,
    budget: Annotated[
        int | None, typer.Option("--budget", min=0, help="Most calls of pipeline and judge.", metavar="CALLS")
    ] = None,
    budget_tokens: Annotated[int | None, typer.Option("--budget-tokens", min=0, help="Most tokens.")] = None,
    budget_seconds: Annotated[float | None, typer.Option("--budget-seconds", min=0, help="Most seconds.")] = None,
    queries: Annotated[
        str | None,
        typer.Option("--queries", help='JSONL file of queries, or "feedback"; see docs/evolution.md.', metavar="FILE"),
    ] = None,
    collection: Annotated[str, typer.Option("--collection", "-c", help="Documents to answer from.")] = "",
    mirrors: Annotated[str, typer.Option("--mirrors", help="Where repositories lie: /dir/{owner}+{name}/repo.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most queries.")] = 400,
    salt: Annotated[str, typer.Option("--salt", help="Another one deals the queries into other pools; keep it.")] = "",
    repeats: Annotated[int, typer.Option("--repeats", min=1, max=5, help="Judgements a query.")] = 1,
    parent: Annotated[int | None, typer.Option("--parent", help="Genome to mutate (default: the active one).")] = None,
    cycle: Annotated[
        str | None, typer.Option("--cycle", help="Id of the cycle; an interrupted one goes on as it was begun.")
    ] = None,
    requester: Annotated[str | None, typer.Option("--as", help="Who asks (default: the login name).")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Propose genomes, judge them, and put the best before a person if the gate lets it pass."""
    from ..graph.evolve import evolve, new_cycle_id
    from ..state.evolution import Budget
    from ..state.evolution_run import QuerySource

    _finish_what_was_left()
    shape = Shape.JSON if as_json else Shape.TEXT
    layer, domain = _begun_as(cycle, layer, domain)
    cycle = cycle or new_cycle_id(layer, domain)
    with _telling_how_to_go_on(layer, domain, cycle), watching(shape, quiet=quiet) as watcher:
        result = evolve(
            _layer(layer),
            domain,
            _who(requester),
            n=n,
            seed=seed,
            budget=Budget(calls=budget, tokens=budget_tokens, seconds=budget_seconds),
            source=QuerySource(collection=collection, queries=queries, mirrors=mirrors, limit=limit, salt=salt),
            parent=parent,
            repeats=repeats,
            cycle=cycle,
            progress=watcher,
            services=_services(),
        )
    if as_json:
        standard_output().write(dumps(result.model_dump(mode="json")))
    else:
        show(cycle_lines(result))
    raise typer.Exit(ExitCode.FOUND if result.outcome in ("waiting", "activated") else ExitCode.NOTHING_FOUND)


def _begun_as(cycle: str | None, layer: str | None, domain: str | None) -> tuple[str, str]:
    """Layer and domain of a run: those given, else those of the cycle that goes on."""
    if layer and domain:
        return layer, domain
    if cycle is None:
        raise CallerError("say --layer and --domain, or --cycle ID of a cycle that began")
    record = _services().ledger.cycle(cycle)
    return layer or record.layer, domain or record.domain


@evolve_app.command("list")
def list_command(
    layer: Annotated[str | None, typer.Option("--layer", "-l", metavar="LAYER")] = None,
    domain: Annotated[str | None, typer.Option("--domain", "-d", metavar="NAME")] = None,
    status: Annotated[str | None, typer.Option("--status", help="active, pending_approval, ...")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    as_json: Json = False,
) -> None:
    """List genomes, the newest first."""
    found = _services().ledger.genomes(_layer(layer) if layer else None, domain, _status(status), limit=limit)
    if as_json:
        standard_output().write(dumps({"genomes": [g.model_dump(mode="json") for g in found]}))
    else:
        show(genome_lines(found, chosen=bool(layer or domain or status)))


@evolve_app.command("show")
def show_command(
    genome: GenomeArgument,
    against: Annotated[int | None, typer.Option("--against", help="Genome to compare with (default: active).")] = None,
    as_json: Json = False,
) -> None:
    """Show a genome: what differs, what the gate said, who decided."""
    ledger = _services().ledger
    record = ledger.genome(genome)
    base = ledger.genome(against) if against is not None else ledger.active(record.layer, record.domain)
    decisions = ledger.decisions(genome, reports=False)
    submission = ledger.submission(genome) if record.submitted else None
    if as_json:
        standard_output().write(dumps(show_object(record, base, submission, decisions)))
    else:
        show(show_lines(record, base, submission, decisions))


@evolve_app.command("approve")
def approve_command(
    genome: GenomeArgument,
    reviewer: Reviewer = None,
    reason: Annotated[str, typer.Option("--reason", help="Why.")] = "",
    as_json: Json = False,
) -> None:
    """Make a genome that waits for approval active."""
    _decide(genome, "approve", reviewer, reason, as_json)


@evolve_app.command("reject")
def reject_command(
    genome: GenomeArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept with the decision.")],
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Turn a genome down."""
    _decide(genome, "reject", reviewer, reason, as_json)


@evolve_app.command("rollback")
def rollback_command(
    layer: LayerOption,
    domain: DomainOption,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept with the decision.")],
    to: Annotated[int | None, typer.Option("--to", help="Genome to go back to (default: the previous).")] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Make the previous genome active again."""
    from ..graph.evolve import rollback

    _tell(
        rollback(_layer(layer), domain, _who(reviewer), reason, to=to, roles={"admin"}, services=_services()), as_json
    )


evolve_app.command("replay")(replay_command)


@evolve_app.command("export")
def export_command() -> None:
    """Print the whole ledger as JSON lines."""
    out = standard_output()
    for row in _services().ledger.export():
        out.write(row)


@evolve_app.command("reconcile")
def reconcile_command(as_json: Json = False) -> None:
    """Finish what a crash left half-made."""
    from ..graph.reconcile import reconcile
    from ..graph.settings import load_settings
    from ..graph.start_up import checkpoints_of

    done = reconcile(_services(), checkpoints_of(load_settings()))
    if as_json:
        standard_output().write(dumps({"done": done}))
    else:
        show([line(printable(d)) for d in done] or [line("Nothing was left half-made.")])


def admin_command(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = 8377,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
) -> None:
    """Run the admin panel, in which a person looks at genomes and decides (extra: admin)."""
    try:
        from .admin.app import serve_admin
    except ImportError as error:
        raise CallerError(f"the panel needs: pip install 'iterative-retrieval[admin]' ({error})") from None
    from ..graph.evolve import wake_decided
    from ..graph.settings import load_settings

    _finish_what_was_left()
    services = _services()

    def wake(genome: int) -> None:
        wake_decided(genome, services=services)

    serve_admin(
        services.ledger,
        host=host,
        port=port,
        wake=wake,
        data_dir=load_settings().data_dir,
    )


def _finish_what_was_left() -> None:
    """What crashes left half-made is finished before anything else; what was done goes to standard error."""
    from ..graph.start_up import reconcile_at_start

    for words in reconcile_at_start():
        standard_error().write(f"finished what was left: {printable(words)}")


@contextmanager
def _telling_how_to_go_on(layer: str, domain: str, cycle: str) -> Iterator[None]:
    """Name the command that goes on with a cycle which is interrupted, or which the world failed."""
    try:
        yield
    except (KeyboardInterrupt, WorldError):
        command = f"iterative-retrieval evolve run --layer {layer} --domain {domain} --cycle {cycle}"
        standard_error().write(f"what was judged is kept; go on with: {printable(command)}")
        raise


def _decide(genome: int, verdict: str, reviewer: str | None, reason: str, as_json: bool) -> None:
    from ..graph.evolve import decide
    from ..state.evolution import Review

    services = _services()
    record = services.ledger.genome(genome)
    review = Review(
        decision="approve" if verdict == "approve" else "reject",
        reviewer=_who(reviewer),
        reason=reason,
        version=record.version,
        genome_hash=record.genome_hash,
    )
    _tell(decide(genome, review, services=services), as_json)


def _tell(decision: Decision, as_json: bool) -> None:
    if as_json:
        standard_output().write(dumps(decision.model_dump(mode="json", exclude={"report"})))
    else:
        show(decision_lines(decision))


def _layer(name: str) -> Layer:
    from ..state.evolution import LAYERS

    if name not in LAYERS:
        raise CallerError(f"--layer: '{name}' is none of {', '.join(LAYERS)}")
    return name


def _status(name: str | None):  # type: ignore[no-untyped-def]  # loaded late
    from ..state.evolution import GenomeStatus

    if name is None:
        return None
    try:
        return GenomeStatus(name)
    except ValueError:
        raise CallerError(f"--status: '{name}' is none of {', '.join(GenomeStatus)}") from None


def _who(name: str | None) -> str:
    return name or getpass.getuser()


def _services() -> EvolutionServices:
    from ..graph.evolution_services import default_evolution_services

    return default_evolution_services()
