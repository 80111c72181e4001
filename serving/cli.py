"""The command line: ``iterative-retrieval "TASK" --root DIR``."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer
from typer.main import get_command

from ..state.errors import IterativeRetrievalError
from ..state.progress import Progress, ProgressSink
from ..state.query import DEFAULT_BUDGET, MIN_BUDGET, Scope
from .as_json import dumps, package_object
from .ask_commands import ask_command, cache_app, collections_command, index_command, log_app
from .commands import TaskFirstGroup
from .doctor_commands import config_app, doctor_command
from .evolve_commands import admin_command, evolve_app
from .exits import EXIT_CODES_IN_WORDS, ExitCode, error_object, exit_code_of
from .explained import explanation_lines, explanation_object
from .lines import line, printable_block
from .mcp_command import mcp_command
from .output import standard_error, standard_output
from .previous import read_previous
from .report import report_lines
from .serve_command import serve_command
from .task_input import read_task
from .tune_command import tune_command
from .views import Shape, show, watching

if TYPE_CHECKING:
    from ..graph.api import RetrievalResult
    from ..state.package import ContextPackage

PROGRAM = "iterative-retrieval"

_EPILOG = "\n".join(["Exit codes:", *(f"{code.value:>4}  {words}" for code, words in EXIT_CODES_IN_WORDS.items())])

app = typer.Typer(
    name=PROGRAM,
    cls=TaskFirstGroup,
    subcommand_metavar="| COMMAND ...",
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


class Options(TypedDict):
    """The keyword arguments that ``retrieve`` and ``explain`` share."""

    ref: str | None
    patterns: Sequence[str]
    excludes: Sequence[str]
    max_cycles: int | None
    budget: int | None
    scope: Scope
    previous: ContextPackage | None
    gap: str | None
    llm: bool | None
    max_llm_calls: int | None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with ``argv`` (None: the process's own arguments).

    Returns:
        The exit code. Errors are told on standard error, and with ``--json`` on standard output too, as an object.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        code = int(get_command(app).main(args, prog_name=PROGRAM, standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _fail(args, "UsageError", f"{error.format_message()} (see {PROGRAM} --help)", ExitCode.CALLER)
    except IterativeRetrievalError as error:
        return _fail(args, type(error).__name__, str(error), exit_code_of(error))
    except OSError as error:  # what the stores did not foresee is still the world's doing: a full disk, a lost mount
        return _fail(args, type(error).__name__, str(error), ExitCode.WORLD)
    except typer.Abort:
        code = ExitCode.INTERRUPTED
    except Exception as error:  # the last door: a bug must not look like "nothing found" (exit code 1)
        traceback.print_exc()
        return _fail(args, type(error).__name__, f"this is a bug in {PROGRAM}: {error}", ExitCode.BUG)
    if code == ExitCode.INTERRUPTED:  # typer turns Ctrl-C into this code
        return _fail(args, "Interrupted", "interrupted", ExitCode.INTERRUPTED)
    return code


@app.callback()
def group(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=lambda on: _print_version(on))
    ] = False,
) -> None:
    """Find the files and lines that a task needs: search, judge, learn the project's words, search again.

    The first argument is the task, unless it is exactly the name of a command.
    A task that happens to read like one: iterative-retrieval retrieve "ask".
    """


@app.command("retrieve", epilog=_EPILOG)
def retrieve_command(
    task: Annotated[
        str | None,
        typer.Argument(help='What is to be done, in plain words. "-" or nothing: read standard input.', metavar="TASK"),
    ] = None,
    root: Annotated[
        str | None,
        typer.Option(
            "--root",
            help="The folder or repository to search (default: the current folder, or the previous result's).",
            metavar="DIR",
        ),
    ] = None,
    ref: Annotated[
        str | None,
        typer.Option("--ref", help="Search this git commit, branch or tag; no checkout.", metavar="REF"),
    ] = None,
    task_file: Annotated[
        str | None, typer.Option("--task-file", help='Read the task from a file ("-": standard input).', metavar="FILE")
    ] = None,
    patterns: Annotated[
        list[str] | None,
        typer.Option("--pattern", help="Search only paths like this (src/**/*.py); repeatable.", metavar="GLOB"),
    ] = None,
    excludes: Annotated[
        list[str] | None,
        typer.Option("--exclude", help="Leave out paths like this; repeatable.", metavar="GLOB"),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            help=f"Tokens that the context may take, {MIN_BUDGET} or more (default: the profile's, {DEFAULT_BUDGET}).",
        ),
    ] = None,
    max_cycles: Annotated[
        int | None, typer.Option("--max-cycles", min=1, max=3, help="Cycles at most (default: the profile's).")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no language model, although one is configured (IR_MODEL).")
    ] = False,
    llm_calls: Annotated[
        int | None,
        typer.Option("--llm-calls", min=0, max=50, help="Model calls at most (default: IR_MAX_LLM_CALLS, 2)."),
    ] = None,
    previous: Annotated[
        str | None,
        typer.Option("--previous", help="Continue the result in this file (made with --json).", metavar="FILE"),
    ] = None,
    gap: Annotated[
        str | None,
        typer.Option("--gap", help="What the previous result lacks, in plain words.", metavar="TEXT"),
    ] = None,
    no_tests: Annotated[bool, typer.Option("--no-tests", help="Return no test files.")] = False,
    no_docs: Annotated[bool, typer.Option("--no-docs", help="Return no documentation.")] = False,
    explain: Annotated[
        str | None,
        typer.Option("--explain", help="Tell why this file is where it is, or nowhere.", metavar="PATH"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the context as Markdown, for a prompt.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the result alone, no cycles.")] = False,
) -> None:
    """Find the context of a task (the default command)."""
    shape = _shape(as_json, markdown, explain)
    options = Options(
        ref=ref,
        patterns=patterns or (),
        excludes=excludes or (),
        max_cycles=max_cycles,
        budget=budget,
        scope=Scope(tests=not no_tests, docs=not no_docs),
        previous=read_previous(previous, gap),
        gap=gap,
        llm=False if offline else None,
        max_llm_calls=llm_calls,
    )
    earlier = options["previous"]
    text = earlier.task if earlier and task is None and task_file is None else read_task(task, task_file)
    place = root or (earlier.root if earlier else ".")
    options["ref"] = ref or (earlier.ref if earlier else None)
    if explain is None:
        raise typer.Exit(_retrieve(text, place, options, shape, quiet))
    raise typer.Exit(_explain(text, place, explain, options, shape, quiet))


app.command("ask", epilog=_EPILOG)(ask_command)
app.command("index", epilog=_EPILOG)(index_command)
app.command("collections")(collections_command)
app.add_typer(cache_app, name="cache")
app.add_typer(log_app, name="log")
app.add_typer(evolve_app, name="evolve")
app.command("tune", epilog=_EPILOG)(tune_command)
app.command("admin")(admin_command)
app.command("doctor")(doctor_command)
app.add_typer(config_app, name="config")
app.command("serve")(serve_command)
app.command("mcp")(mcp_command)


def _retrieve(task: str, root: str, options: Options, shape: Shape, quiet: bool) -> ExitCode:
    from ..graph.api import retrieve  # here, so that --help and bad options answer at once

    start = time.perf_counter()
    with watching(shape, quiet=quiet) as watcher:
        _index_first(root, options, watcher)
        result = retrieve(task, root, progress=watcher, **options)
    if shape is Shape.TEXT and not quiet:
        show([line()])  # between the cycles and the report
    _print_result(result, shape, time.perf_counter() - start)
    return ExitCode.FOUND if result.files else ExitCode.NOTHING_FOUND


def _index_first(root: str, options: Options, watcher: ProgressSink | None) -> None:
    """Bring the index up to date in this thread: Ctrl-C would not end a step of the graph before it is done."""
    from ..graph.services import default_services

    default_services().workspaces.open(root, options["ref"], watcher or _unwatched)


def _unwatched(event: Progress) -> None:
    """Nobody watches."""


def _print_result(result: RetrievalResult, shape: Shape, seconds: float) -> None:
    if shape is Shape.JSON:
        standard_output().write(dumps(package_object(result, seconds)))
    elif shape is Shape.MARKDOWN:
        standard_output().write(printable_block(result.to_markdown()).rstrip("\n"))
    else:
        show(report_lines(result, seconds))


def _explain(task: str, root: str, path: str, options: Options, shape: Shape, quiet: bool) -> ExitCode:
    from ..graph.api import explain

    with watching(shape, quiet=quiet, trace=False) as watcher:
        _index_first(root, options, watcher)
        explanation = explain(task, root, path, progress=watcher, **options)
    if shape is Shape.JSON:
        standard_output().write(dumps(explanation_object(explanation)))
    else:
        show(explanation_lines(explanation))
    return ExitCode.NOTHING_FOUND if explanation.status == "absent" else ExitCode.FOUND


def _shape(as_json: bool, markdown: bool, explain: str | None) -> Shape:
    if markdown and (as_json or explain is not None):
        raise typer.BadParameter("--markdown goes with neither --json nor --explain; choose one")
    if as_json:
        return Shape.JSON
    return Shape.MARKDOWN if markdown else Shape.TEXT


def _print_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        standard_output().write(f"{PROGRAM} {__version__}")
        raise typer.Exit


def _fail(args: list[str], kind: str, message: str, code: ExitCode) -> int:
    standard_error().write(f"error: {printable_block(message)}")
    if "--json" in args:
        standard_output().write(dumps(error_object(kind, message)))
    return code
