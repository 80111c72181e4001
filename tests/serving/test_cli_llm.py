"""The command line with a language model: asked when one is configured, left out with --offline, told in the trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from iterative_retrieval.graph.services import default_services
from iterative_retrieval.serving.cli import main
from iterative_retrieval.serving.exits import ExitCode
from iterative_retrieval.serving.lines import plain
from iterative_retrieval.serving.trace import trace_lines
from iterative_retrieval.state.advice import Advice
from iterative_retrieval.state.progress import Advised
from tests.graph.advised import FILES, GOLD, TASK, oracle
from tests.openai_server import OpenAIServer
from tests.repositories import write_files


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A model of the environment, and a folder to search that is the current one."""
    with OpenAIServer() as running:
        monkeypatch.setenv("IR_MODEL", "small")
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("IR_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("IR_DATA_DIR", str(tmp_path / "data"))
        write_files(tmp_path / "shop", FILES)
        monkeypatch.chdir(tmp_path / "shop")
        default_services.cache_clear()
        running.then(oracle(GOLD))
        yield running
        default_services.cache_clear()


def test_a_configured_model_is_asked_and_offline_leaves_it_out(
    server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([TASK, "--json", "--offline"]) == ExitCode.FOUND
    told = json.loads(capsys.readouterr().out)
    assert (told["advice"], server.requests) == ([], [])
    assert main([TASK, "--llm-calls", "0", "--json"]) == ExitCode.FOUND
    assert (json.loads(capsys.readouterr().out)["ranked"], server.requests) == (told["ranked"], [])
    assert main([TASK, "--json"]) == ExitCode.FOUND
    advised = json.loads(capsys.readouterr().out)
    assert advised["ranked"][0] == GOLD != told["ranked"][0]
    assert (advised["advice"][0]["model"], advised["advice"][0]["calls"]) == ("small", 2)


def test_the_trace_says_what_the_model_did(server: OpenAIServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TASK]) == ExitCode.FOUND
    shown = capsys.readouterr().out
    assert "MODEL:    evaluator small: picked 1 of 12 in two orders" in " ".join(shown.split("\n"))
    assert "picked by small" in shown


def test_a_file_is_explained_with_what_the_model_added(
    server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([TASK, "--explain", GOLD, "--json"]) == ExitCode.FOUND
    explained = json.loads(capsys.readouterr().out)
    assert explained["rank"] == 1
    assert explained["signals"]["model"] > 1


def told(advice: Advice) -> str:
    return "\n".join(plain(row) for row in trace_lines(Advised(advice=advice)))


def test_lines_of_advice_name_outcome_and_price() -> None:
    took = {"calls": 1, "tokens_in": 1200, "tokens_out": 34, "seconds": 0.84, "cost": 0.00123}
    used = Advice.model_validate(
        {"role": "planner", "model": "m", "outcome": "used", "detail": 'look for "expires"', **took}
    )
    assert told(used) == '  MODEL:    planner m: look for "expires"; 1 call, 1,234 tokens, 0.8 s, cost 0.00123'
    failed = used.model_copy(update={"outcome": "failed", "detail": "HTTP 500", "calls": 0, "cost": 0.0})
    assert told(failed) == "  MODEL:    planner m failed: HTTP 500"
    again = used.model_copy(update={"remembered": True, "calls": 0, "cost": 0.0})
    assert told(again).endswith("; remembered")
    hostile = used.model_copy(update={"model": "m\x1b[2J"})
    assert "\x1b" not in told(hostile)
