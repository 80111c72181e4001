"""How a run of the command line ends: exit codes, and errors put into words."""

from __future__ import annotations

from enum import IntEnum

from ..state.errors import CallerError, EvolutionRefused, IterativeRetrievalError


class ExitCode(IntEnum):
    """What the exit code tells a script. Documented in ``--help`` and docs/cli.md."""

    FOUND = 0
    NOTHING_FOUND = 1
    CALLER = 2
    WORLD = 3
    PARTLY = 4
    BUG = 70  # EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130  # 128 + SIGINT, as shells have it


EXIT_CODES_IN_WORDS = {
    ExitCode.FOUND: "something relevant was found; the command did its work",
    ExitCode.NOTHING_FOUND: "nothing relevant was found; the empty result is still printed",
    ExitCode.CALLER: "bad input: unknown root, ref or collection, empty task, bad option",
    ExitCode.WORLD: "something outside failed: git, a store, the disk",
    ExitCode.PARTLY: "indexed, but some documents were skipped; each is named with its reason",
    ExitCode.BUG: "a bug in this program; the traceback is on standard error",
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C)",
}


def exit_code_of(error: IterativeRetrievalError) -> ExitCode:
    """The exit code that ``error`` ends a run with."""
    return ExitCode.CALLER if isinstance(error, CallerError | EvolutionRefused) else ExitCode.WORLD


def error_object(kind: str, message: str) -> dict[str, object]:
    """What ``--json`` prints instead of a result; ``kind`` is the error's class name."""
    return {"error": {"kind": kind, "message": message}}
