"""The command ``tune``: fit the weights on a repository's own past, and ask a person if they are better."""

from __future__ import annotations

import getpass
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ..state.errors import CallerError, WorldError
from .as_json import dumps
from .ask_commands import Json, Quiet
from .evolve_report import cycle_lines
from .exits import ExitCode
from .lines import Line, line, printable
from .output import standard_error, standard_output
from .views import Shape, show, watching

if TYPE_CHECKING:
    from ..graph.past_tasks import MinedTask, PastTasks
    from ..graph.tune import FittedWeights, Tuning

_SHOWN_TASKS = 8
_SHOWN_WEIGHTS = 10


def tune_command(
    from_history: Annotated[
        bool, typer.Option("--from-history", help="Learn from the repository's own commits.")
    ] = False,
    root: Annotated[str, typer.Option("--root", help="The repository, or a folder in it.", metavar="DIR")] = ".",
    commits: Annotated[int, typer.Option("--commits", min=1, max=2_000, help="Most tasks, the latest ones.")] = 150,
    ref: Annotated[str, typer.Option("--ref", help="Where the past begins.", metavar="REF")] = "HEAD",
    seconds: Annotated[float | None, typer.Option("--seconds", min=1, help="Most seconds, roughly.")] = None,
    cycle: Annotated[str | None, typer.Option("--cycle", help="Id of the tuning; a stopped one goes on.")] = None,
    requester: Annotated[str | None, typer.Option("--as", help="Who asks (default: the login name).")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be learned from.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit the weights of retrieval on your own repository; a person decides whether they serve."""
    if not from_history:
        raise CallerError("say what to learn from: iterative-retrieval tune --from-history")
    shape = Shape.JSON if as_json else Shape.TEXT
    if dry_run:
        raise typer.Exit(_show_past(root, commits, ref, as_json))
    from ..graph.evolve import new_cycle_id
    from ..graph.tune import tune

    name = cycle or new_cycle_id("retrieval", "tune")
    with _telling_how_to_go_on(root, name), watching(shape, quiet=quiet) as watcher:
        found = tune(
            root,
            requester or getpass.getuser(),
            commits=commits,
            ref=ref,
            seconds=seconds,
            cycle=name,
            progress=watcher,
        )
    if as_json:
        standard_output().write(dumps(found.model_dump(mode="json")))
    else:
        show(tuning_lines(found))
    raise typer.Exit(ExitCode.FOUND if found.outcome in ("waiting", "activated") else ExitCode.NOTHING_FOUND)


def tuning_lines(found: Tuning) -> list[Line]:
    """How a tuning ended, and what to do next."""
    rows = [line(), *_past_rows(found.past)]
    if found.parts:
        older = found.parts["mutate"] + found.parts["select"]
        rows.append(line(f"{older} older ones to fit on, the latest {found.parts['confirm']} to confirm", indent=2))
    if found.fitted:
        rows += [line(), *_fitted_rows(found.fitted)]
    if found.result is None:
        return [*rows, line(), line(f"Tuning {printable(found.cycle)}: {found.outcome}", style="bold"), _reason(found)]
    return [*rows, *cycle_lines(found.result)]


def _reason(found: Tuning) -> Line:
    return line(printable(found.reason), indent=2)


def _past_rows(past: PastTasks) -> list[Line]:
    """What was mined and why the rest was not."""
    days = [time.strftime("%Y-%m-%d", time.gmtime(task.time)) for task in past.tasks]
    when = f", {days[0]} to {days[-1]}" if days else ""
    rows = [line(f"{len(past.tasks)} tasks out of {past.looked_at:,} commits{when}", style="bold")]
    refused = ", ".join(f"{number:,} {why}" for why, number in past.refused.items())
    return [*rows, *([line(f"left out: {refused}", indent=2)] if refused else [])]


def _fitted_rows(fitted: FittedWeights) -> list[Line]:
    d = fitted.difference
    needed = "" if fitted.needed is None else f"; about {fitted.needed:,} tasks would show that"
    gain = f"{d.mean:+.3f} of 10 ({d.confidence:.0%} interval {d.low:+.3f} to {d.high:+.3f})"
    rows = [
        line(f"Fitted on {fitted.tasks} tasks, strength {fitted.strength:g}", style="bold"),
        line(f"on left-out tasks {gain}{needed}", indent=2),
    ]
    shown = list(fitted.changed.items())[:_SHOWN_WEIGHTS]
    return [*rows, *(line(f"{printable(name)}: {old:g} -> {new:g}", indent=2) for name, (old, new) in shown)]


def _show_past(root: str, commits: int, ref: str, as_json: bool) -> ExitCode:
    """Mine and print; nothing is written."""
    from ..graph.past_tasks import mine

    past = mine(root, commits, ref)
    if as_json:
        standard_output().write(dumps(past.model_dump(mode="json")))
    else:
        show([*_past_rows(past), *(_task_row(task) for task in past.tasks[::-1][:_SHOWN_TASKS])])
    return ExitCode.FOUND if past.tasks else ExitCode.NOTHING_FOUND


def _task_row(task: MinedTask) -> Line:
    title = printable(task.task.partition("\n")[0])
    return line(f"{task.commit[:10]} {title[:80]} -> {printable(', '.join(task.gold))}", indent=2)


@contextmanager
def _telling_how_to_go_on(root: str, cycle: str) -> Iterator[None]:
    """Name the command that goes on with a tuning which is interrupted, or which the world failed."""
    try:
        yield
    except (KeyboardInterrupt, WorldError):
        command = f"iterative-retrieval tune --from-history --root {root} --cycle {cycle}"
        standard_error().write(f"what was asked is kept; go on with: {printable(command)}")
        raise
