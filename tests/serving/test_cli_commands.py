from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iterative_retrieval.serving.cli import app
from iterative_retrieval.serving.commands import with_command

COMMANDS = {"retrieve", "ask"}
OPTIONS = {"--help", "--version", "--show-completion"}


@pytest.mark.parametrize(
    ("given", "read_as"),
    [
        (["Fix the login"], ["retrieve", "Fix the login"]),
        (["ask"], ["ask"]),
        (["ask the user"], ["retrieve", "ask the user"]),
        (["retrieve", "ask"], ["retrieve", "ask"]),
        (["Ask"], ["retrieve", "Ask"]),
        (["--root", ".", "ask"], ["retrieve", "--root", ".", "ask"]),
        (["--json", "Fix"], ["retrieve", "--json", "Fix"]),
        (["--", "--help"], ["retrieve", "--", "--help"]),
        (["--version"], ["--version"]),
        (["--show-completion=bash"], ["--show-completion=bash"]),
        ([], ["retrieve"]),
    ],
)
def test_only_an_exact_command_name_in_front_is_a_command(given: list[str], read_as: list[str]) -> None:
    assert with_command(given, COMMANDS, OPTIONS) == read_as


def test_help_shows_the_task_and_the_commands_and_the_exit_codes() -> None:
    page = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100"})
    assert page.exit_code == 0
    for words in ("TASK", "--root", "--explain", "--version", "retrieve", "Exit codes", "130  interrupted"):
        assert words in page.stdout


def test_help_of_the_command_shows_its_options_and_the_exit_codes() -> None:
    page = CliRunner().invoke(app, ["retrieve", "--help"], env={"COLUMNS": "100"})
    assert page.exit_code == 0
    assert "--task-file" in page.stdout
    assert "Exit codes" in page.stdout


def completions(words: str, position: int) -> list[str]:
    asked = {"_ITERATIVE_RETRIEVAL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    done = subprocess.run(
        [sys.executable, "-m", "iterative_retrieval"],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_the_shell_completes_the_options_of_a_bare_task() -> None:
    assert "--root" in completions("iterative-retrieval --r", 1)
    assert "--max-cycles" in completions("iterative-retrieval 'Fix it' --max", 2)


def test_the_shell_completes_commands() -> None:
    assert completions("iterative-retrieval retr", 1) == ["retrieve"]


def test_start_up_loads_no_framework(tmp_path: Path) -> None:
    asked = "import sys, iterative_retrieval.serving.cli; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert not {"langgraph", "langchain_core", "chromadb", "numpy"} & set(loaded.stdout.split())
