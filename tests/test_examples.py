"""Every example runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.graph.handbook import write
from tests.repositories import MakeRepo
from tests.samples import TOKEN_EXPIRY

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", sorted(p.name for p in EXAMPLES.glob("*.py") if p.name != "ask_documents.py"))
def test_the_example_finds_the_files(name: str, make_repo: MakeRepo, tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(EXAMPLES / name),
        "Fix the authentication token expiry bug",
        str(make_repo(TOKEN_EXPIRY).path),
    ]
    environment = os.environ | {"IR_CACHE_DIR": str(tmp_path / "cache")}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert "src/auth.ts" in run.stdout
    assert "src/tokens.ts" in run.stdout
    if name == "ask_again.py":
        assert run.stdout.count("asked again: How does findUser look a user up? -> src/user.ts") == 2


def test_the_example_answers_from_documents(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(EXAMPLES / "ask_documents.py"),
        str(write(tmp_path / "docs")),
        "How long is a time-out?",
    ]
    own = {"IR_CACHE_DIR": str(tmp_path / "cache"), "IR_DATA_DIR": str(tmp_path / "data"), "IR_EMBEDDER": "none"}
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | own, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert "30 seconds" in run.stdout
    assert "[1] http.md, lines" in run.stdout
