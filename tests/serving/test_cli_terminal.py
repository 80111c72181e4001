from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from tests.repositories import GitRepo
from tests.serving.conftest import TASK

COMMAND = [sys.executable, "-m", "iterative_retrieval"]


def test_a_terminal_gets_the_cycles_and_the_report_in_color(repository: GitRepo, environment: dict[str, str]) -> None:
    code, screen = on_a_terminal([TASK], repository.path, environment)
    text = without_control(screen)
    assert code == 0
    assert "\x1b[" in screen
    assert "Cycle 1:" in text
    assert "DISPATCH: Search for" in text
    assert "src/tokens.py" in text
    assert screen.rindex("\x1b[?25h") > screen.rindex("\x1b[?25l"), "the cursor comes back"


def test_no_color_is_respected(repository: GitRepo, environment: dict[str, str]) -> None:
    _, screen = on_a_terminal([TASK], repository.path, environment | {"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[(3|4|9|10)\d", screen)


def test_json_stays_json_on_a_terminal(repository: GitRepo, environment: dict[str, str]) -> None:
    code, screen = on_a_terminal([TASK, "--json", "--quiet"], repository.path, environment)
    assert code == 0
    assert screen.lstrip().startswith("{")
    assert "\x1b" not in screen


def test_without_a_task_a_terminal_is_told_how_to_ask(repository: GitRepo, environment: dict[str, str]) -> None:
    code, screen = on_a_terminal([], repository.path, environment)
    assert code == 2
    assert "write it as the first argument" in screen


def on_a_terminal(args: list[str], cwd: Path, environment: dict[str, str]) -> tuple[int, str]:
    """The exit code and everything the terminal received."""
    ours, theirs = pty.openpty()
    env = environment | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen([*COMMAND, *args], cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    received = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return process.wait(timeout=60), received.decode()


def without_control(screen: str) -> str:
    """What is left without the control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says EIO once the other side has closed
        return b""
