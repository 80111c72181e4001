from __future__ import annotations

import json

import pytest

from iterative_retrieval.serving import cli
from iterative_retrieval.serving.exits import ExitCode, exit_code_of
from iterative_retrieval.state.errors import EmptyTask, GitUnavailable


def test_a_bug_does_not_look_like_nothing_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(task: str | None, task_file: str | None) -> str:
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(cli, "read_task", broken)
    code = cli.main(["Fix the login", "--json"])
    captured = capsys.readouterr()
    assert code == ExitCode.BUG
    assert json.loads(captured.out)["error"]["kind"] == "ZeroDivisionError"
    assert "Traceback" in captured.err


def test_the_caller_and_the_world_have_codes_of_their_own() -> None:
    assert exit_code_of(EmptyTask("no task")) == 2
    assert exit_code_of(GitUnavailable("no git")) == 3
