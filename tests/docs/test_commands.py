"""The command lines of the pages: programs, commands, options and targets exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from iterative_retrieval.serving.cli import app
from tests.docs.pages import PAGES, REPOSITORY, Block, blocks

_ASSIGNMENT = re.compile(r"^[A-Z_]+=")
_OTHERS = {"export", "chmod", "git", "claude", "curl", "langgraph"}
"""Programs of others, whose options are theirs to know; tests named in test_blocks.py run the lines of curl."""


def lines(block: Block) -> Iterator[list[str]]:
    """The commands of a block as words: after a prompt, or all of a shell's; assignments and pipes taken apart."""
    code = block.code.replace("\\\n", " ")
    asked = re.findall(r"^\s*\$ (.+)$", code, re.M) if block.language == "console" else _statements(code)
    for line in asked:
        for words in _parts(shlex.split(line, comments=True)):
            while words and _ASSIGNMENT.match(words[0]):
                words = words[1:]
            if words:
                yield words


def test_every_command_line_can_be_called() -> None:
    checked = 0
    for page in PAGES:
        for block in (*blocks(page, "console"), *blocks(page, "sh")):
            for words in lines(block):
                problem = _problem(words)
                assert not problem, f"{page}, block at line {block.line}: {' '.join(words)}: {problem}"
                checked += 1
    assert checked > 60


@pytest.mark.parametrize(
    "line",
    [
        "iterative-retrieval evolve frobnicate 7",
        "iterative-retrieval ask Q --colection x",
        "make nothing",
        "pip install '.[nothing]'",
        "python -m benchmarks.doors --nothing",
        "python -m benchmarks.nothing",
        "somebodys-tool --help",
    ],
)
def test_a_line_that_cannot_be_called_is_found(line: str) -> None:
    assert _problem(shlex.split(line))


def _statements(code: str) -> list[str]:
    """The lines of a shell block; a quoted text may go over several."""
    found: list[str] = []
    held = ""
    for line in code.splitlines():
        held = f"{held}\n{line}" if held else line
        try:
            shlex.split(held, comments=True)
        except ValueError:  # a quote that is still open
            continue
        found.append(held)
        held = ""
    assert not held, held
    return found


def _parts(words: list[str]) -> Iterator[list[str]]:
    """The commands of a pipe, without redirections; what another program starts after ``--`` is one, too."""
    part: list[str] = []
    for word in [*words, "|"]:
        if word in ("|", "--"):
            yield part
            part = []
        elif part and part[-1] in (">", ">>"):
            part.pop()
        else:
            part.append(word)


def _problem(words: list[str]) -> str:
    """Why a command could not be called; '' when it could."""
    match words:
        case ["iterative-retrieval", *arguments]:
            return _of_ours(arguments)
        case ["make", *targets]:
            known = set(re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(), re.M))
            return ", ".join(sorted({t for t in targets if "=" not in t} - known))
        case ["pip", "install", what]:
            return _of_extras(what)
        case ["python", "-m", module, *arguments] if module.startswith("benchmarks."):
            return _of_benchmark(module, arguments)
        case ["python", "-m", module, *_] if module.startswith("iterative_retrieval."):
            return "" if (REPOSITORY / "src" / f"{module.replace('.', '/')}.py").is_file() else "no such module"
        case [program, *_] if program in _OTHERS:
            return ""
        case _:
            return "what is it?"


def _of_ours(arguments: list[str]) -> str:
    """The unknown options of a line; a first argument that is no command is a task."""
    command: Any = get_command(app)
    known = _options(command)
    if not arguments or arguments[0] not in command.commands:
        return _unknown(arguments, known | _options(command.commands["retrieve"]))
    while hasattr(command, "commands"):
        if not arguments or arguments[0] not in command.commands:
            return f"no command {' '.join(arguments[:1])}"
        command, arguments = command.commands[arguments[0]], arguments[1:]
    return _unknown(arguments, _options(command))


def _options(command: Any) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


def _unknown(arguments: list[str], known: set[str]) -> str:
    given = {word.partition("=")[0] for word in arguments if re.match(r"--?[a-z]", word)}
    return ", ".join(sorted(given - known - {"--help", "-h"}))


def _of_extras(what: str) -> str:
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.fullmatch(r"(?:\.|iterative-retrieval)(?:\[([\w,]+)\])?", what)
    if not named:
        return "not this package"
    return ", ".join(sorted(set((named[1] or "").split(",")) - {*extras, ""}))


def _of_benchmark(module: str, arguments: list[str]) -> str:
    path = REPOSITORY / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        return "no such module"
    source = "".join(p.read_text() for p in path.parent.glob("*.py") if p.stem in (path.stem, "arguments"))
    return ", ".join(sorted(a for a in arguments if a.startswith("--") and f'"{a}"' not in source))
