"""docs/mcp.md and the README: what they tell people to paste works."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from typer.main import get_command

from iterative_retrieval.serving.cli import app
from iterative_retrieval.serving.mcp.settings import McpSettings
from tests.serving.conftest import TASK
from tests.serving.mcp.place import Place
from tests.serving.mcp.sessions import session

PROJECT = Path(__file__).parents[3]
PAGE = (PROJECT / "docs" / "mcp.md").read_text(encoding="utf-8")
README = (PROJECT / "README.md").read_text(encoding="utf-8")
_SERVERS = ("mcpServers", "servers", "mcp_servers", "context_servers", "mcp")


def entries(text: str) -> Iterator[dict[str, Any]]:
    """Every entry for this server in the JSON and TOML blocks of a page."""
    for kind, block in re.findall(r"```(json|toml)\n(.*?)```", text, re.DOTALL):
        values = json.loads(block) if kind == "json" else tomllib.loads(block)
        (servers,) = [values[name] for name in _SERVERS if name in values]
        yield servers["iterative-retrieval"]


def command_of(entry: dict[str, Any]) -> tuple[str, ...]:
    """Command and arguments of an entry."""
    command = entry["command"]
    return tuple(command) if isinstance(command, list) else (command, *entry["args"])


def commands() -> list[tuple[str, ...]]:
    """The different commands that the pages name."""
    found = [command_of(entry) for page in (PAGE, README) for entry in entries(page) if "command" in entry]
    assert len(found) == 7
    return sorted(set(found))


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_the_command_of_every_entry_starts_a_server_that_answers(
    command: tuple[str, ...], place: Place, tmp_path: Path
) -> None:
    _installed(tmp_path)
    name, *options = (str(place.shop) if part == "/path/to/project" else part for part in command)
    environment = place.environment | {"PATH": f"{tmp_path}:{place.environment['PATH']}"}
    server = StdioServerParameters(command=name, args=options, env=environment, cwd=place.shop)
    with session(server) as agent:
        assert agent.values("explain_file", task=TASK, path="src/auth.py")["status"] == "packed"


def test_entries_over_http_name_the_default_address() -> None:
    found = [entry["url"] for entry in entries(PAGE) if "url" in entry]
    default = next(p.default for p in _command("mcp").params if p.name == "port")
    assert found == [f"http://127.0.0.1:{default}/mcp"] * 2


def test_every_console_line_is_a_command_with_known_options() -> None:
    lines = [line for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
    ours = [line.partition("# ")[0].partition("-- ")[2] or line.removeprefix("$ ") for line in lines if "$ " in line]
    checked = 0
    for words in map(shlex.split, ours):
        if words[0] == "iterative-retrieval":
            _known(words[1:])
            checked += 1
    assert checked == 4


def test_every_setting_is_told() -> None:
    told = set(re.findall(r"\| `(IR_MCP_\w+)` \|", PAGE))
    assert told == {f"IR_MCP_{name.upper()}" for name in McpSettings.model_fields}


def _installed(folder: Path) -> None:
    """The console script as an installation has it, whether or not this test runs in one."""
    script = folder / "iterative-retrieval"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m iterative_retrieval "$@"\n')
    script.chmod(0o755)


def _command(name: str) -> Any:
    return get_command(app).commands[name]  # type: ignore[attr-defined]


def _known(words: list[str]) -> None:
    command = _command(words[0])
    if hasattr(command, "commands"):
        command = command.commands[words[1]]
    options = {name for param in command.params for name in param.opts}
    assert {word for word in words if word.startswith("--")} <= options
