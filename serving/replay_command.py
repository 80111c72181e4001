"""The command ``evolve replay``: the test session of a routing genome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..state.errors import CallerError
from .as_json import dumps
from .ask_commands import Json
from .exits import ExitCode
from .lines import Line, line, printable
from .output import standard_output
from .views import show

if TYPE_CHECKING:
    from ..graph.evolution_services import EvolutionServices
    from ..graph.replay import SessionReport
    from .mcp.agent import ToolModel

How = Literal["auto", "agent", "server", "in-process"]


def replay_command(
    genome: Annotated[int, typer.Argument(help="Id of the genome.")],
    how: Annotated[
        How,
        typer.Option(
            "--how",
            help="agent: a model chooses the calls of a real MCP server. server: the script's calls go through one. "
            "in-process: without a server. auto: the first of them that is possible.",
        ),
    ] = "auto",
    root: Annotated[str, typer.Option("--root", help="Folder that code tasks are tried in.", metavar="DIR")] = ".",
    collection: Annotated[
        str, typer.Option("--collection", "-c", help="Collection to ask (default: the only one of the domain).")
    ] = "",
    calls: Annotated[int, typer.Option("--calls", min=1, max=200, help="Most calls of tools.")] = 24,
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="Most tokens of the agent's model.")] = 100_000,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="Most seconds.")] = 600.0,
    as_json: Json = False,
) -> None:
    """Run the test session of a routing genome: what was asked, how it was routed, what failed."""
    from ..graph.evolution_services import default_evolution_services

    report = _report(default_evolution_services(), genome, how, root, collection, (calls, tokens, seconds))
    if as_json:
        fields = report.model_dump(mode="json")
        fields["calls"] = [c.model_dump(mode="json") | {"verdict": c.verdict} for c in report.calls]
        standard_output().write(dumps(fields))
    else:
        show(report_lines(report))
    raise typer.Exit(ExitCode.FOUND if report.calls else ExitCode.NOTHING_FOUND)


def report_lines(report: SessionReport) -> list[Line]:
    """The session in lines: how, each call with its verdict, the sums, the agent's words."""
    head = f"Genome {report.genome}, {report.way}{f' ({printable(report.note)})' if report.note else ''}"
    rows = [line(head, style="bold")]
    for call in report.calls:
        rows.append(line(f"{call.verdict.upper()}: {printable(call.tool)} {printable(call.text)[:200]}", indent=2))
        route = f"{call.query_type} ({call.confidence:.2f}), profile {call.profile}: {call.reason}"
        expected = f"expected {call.expected}, " if call.expected else ""
        rows.append(line(printable(call.failure or f"{expected}{route}"), indent=4))
    verdicts = [call.verdict for call in report.calls]
    counted = ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts), key=verdicts.index)) or "no call"
    spent = f", {report.spent.calls} model calls, {report.spent.tokens:,} tokens" if report.spent.calls else ""
    rows.append(line(f"{counted}; {printable(report.stopped)}; {report.seconds:.1f} s{spent}"))
    return [*rows, *(line(printable(row), indent=2) for row in report.summary.splitlines())]


def _report(
    services: EvolutionServices, genome: int, how: How, root: str, collection: str, limits: tuple[int, int, float]
) -> SessionReport:
    from ..graph.replay import replay_here, session_of

    record, script = session_of(services, genome)
    chosen, why = _chosen(services, how, record.domain, collection)
    if chosen == "in-process":
        return replay_here(services, genome, why)
    from .mcp.replay import McpSession, SessionLimits

    session = McpSession(record, script, root, collection, SessionLimits(*limits))
    if chosen == "server":
        return session.by_script(why)
    return session.by_agent(_model(), why)


def _chosen(services: EvolutionServices, how: How, domain: str, collection: str) -> tuple[How, str]:
    """The way, and why it is this one.

    Raises:
        CallerError: the way that was asked for is not possible.
    """
    if how == "in-process":
        return how, ""
    obstacle = _no_server(services, domain, collection)
    if obstacle:
        if how != "auto":
            raise CallerError(f"--how {how}: {obstacle}")
        return "in-process", obstacle
    offline = "" if _has_model() else "no model is configured; set IR_MODEL"
    if how == "agent" and offline:
        raise CallerError(f"--how agent: {offline}")
    return ("server", offline) if how == "server" or offline else ("agent", "")


def _no_server(services: EvolutionServices, domain: str, collection: str) -> str:
    """Why the session cannot go through an MCP server; '' when it can."""
    try:
        from .mcp import replay  # noqa: F401  # only whether it can be imported
        from .mcp.docs_tool import chosen_collection, label_of
    except ImportError as error:
        return f"the MCP server needs: pip install 'iterative-retrieval[mcp]' ({error})"
    if domain == "code":
        return ""
    from ..graph.trials import PipelineTrials

    assert isinstance(services.trials, PipelineTrials)
    try:
        chosen_collection(services.trials.docs, collection, "" if collection else label_of(domain))
    except CallerError as error:
        return str(error)
    return ""


def _has_model() -> bool:
    from ..graph.settings import load_settings

    return load_settings().model_of("judge") is not None


def _model() -> ToolModel:
    from ..graph.model_roles import Models
    from ..graph.models import OpenAIChatModel
    from ..graph.settings import load_settings

    model = Models(load_settings()).of("judge")
    assert isinstance(model, OpenAIChatModel)
    return model
