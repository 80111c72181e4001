from __future__ import annotations

from pathlib import Path

from typer.main import get_command

from iterative_retrieval.serving.as_json import package_object
from iterative_retrieval.serving.cli import app
from iterative_retrieval.serving.exits import ExitCode
from tests.serving.examples import package

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def test_every_option_is_documented() -> None:
    group = get_command(app)
    commands = group.commands.values()  # type: ignore[attr-defined]
    names = {name for command in (group, *commands) for param in command.params for name in param.opts}
    assert {name for name in names if name.startswith("-") and f"`{name}" not in PAGE} == set()


def test_every_command_is_documented() -> None:
    assert all(f"| `{name}` |" in PAGE for name in get_command(app).commands)  # type: ignore[attr-defined]


def test_every_exit_code_is_documented() -> None:
    assert all(f"\n| {code.value} |" in PAGE for code in ExitCode)


def test_every_key_of_the_object_is_documented() -> None:
    told = package_object(package(), 0.5)
    files, cycles, gaps = told["files"], told["cycles"], told["gaps"]
    assert isinstance(files, list) and isinstance(cycles, list) and isinstance(gaps, list)
    keys = {*told, *files[0], *cycles[0], *gaps[0]}
    assert {key for key in keys if f"`{key}`" not in PAGE} == set()
