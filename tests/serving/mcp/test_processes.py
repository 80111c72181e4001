"""The server as a process: what it writes where, whom it lets in, how calls and sessions end."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from iterative_retrieval.serving.cli import main
from tests.serving.conftest import TASK
from tests.serving.mcp.place import Place
from tests.serving.mcp.sessions import COMMAND, Session, http_server

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


def test_standard_output_carries_the_protocol_alone(place: Place) -> None:
    """By hand, byte by byte: the SDK's client would pass over a stray line."""
    started = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    call = {"method": "tools/call", "params": {"name": "retrieve_context", "arguments": {"task": TASK}}}
    process = subprocess.Popen(
        COMMAND, cwd=place.shop, env=place.environment, stdin=-1, stdout=-1, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    for message in (HELLO, started, {"jsonrpc": "2.0", "id": 2, **call}):
        process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    rest, errors = process.communicate(timeout=60)
    assert [a["id"] for a in answers] == [1, 2] and answers[1]["result"]["structuredContent"]["files"]
    assert rest == "" and process.returncode == 0
    assert "Traceback" not in errors


@pytest.mark.parametrize(("options", "words"), [
    (["--transport", "http"], "--allow-root"),
    (["--transport", "http", "--allow-root", ".", "--host", "0.0.0.0"], "IR_MCP_TOKEN"),
    (["--transport", "http", "--allow-root", ".", "--host", "127.0.0.1", "--port", "99999"], "--port"),
    (["--allow-root", "nowhere"], "nowhere"),
    (["--transport", "carrier-pigeon"], "carrier-pigeon"),
])  # fmt: skip
def test_a_server_that_cannot_be_started_says_why(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", *options]) == 2
    told = capsys.readouterr()
    assert words in told.err and told.out == ""


def test_a_token_is_asked_before_everything_else(place: Place) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    with http_server(place, "--allow-root", str(place.shop), IR_MCP_TOKEN="s3cret") as url:
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": "s3cret"}):
            assert httpx.post(url, json=HELLO, headers=headers | given).status_code == 401
        answer = httpx.post(url, json=HELLO, headers=headers | {"authorization": "Bearer s3cret"})
        assert answer.status_code == 200 and "iterative-retrieval" in answer.text


def test_other_sites_cannot_use_a_local_server_through_a_browser(url: str) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    for strange in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        assert httpx.post(url, json=HELLO, headers=headers | strange).status_code in (403, 421)


def test_a_call_that_is_given_up_ends_and_the_next_one_is_served(agent: Session, place: Place, forest: Path) -> None:
    """Twice: were the first search still at work, the second would wait for its index and find it made."""
    agent.roots.insert(0, forest)
    try:
        for _ in range(2):
            assert _given_up_while_indexing(agent, str(forest))
        assert agent.values("retrieve_context", task=TASK, root=str(place.shop))["files"]
    finally:
        agent.roots.remove(forest)


@pytest.fixture
def forest(place: Place, request: pytest.FixtureRequest) -> Path:
    """A folder of so many files that indexing them takes a while, never the same ones twice."""
    folder = place.shop.parent / f"forest-{abs(hash(request.node.name))}"
    folder.mkdir()
    for number in range(1_500):
        lines = [f"def f{line}_{number}(token: int) -> int:\n    return token + {line}" for line in range(30)]
        (folder / f"leaf_{folder.name[-4:]}_{number}.py").write_text(f"# {folder.name}\n" + "\n".join(lines) + "\n")
    return folder


def _given_up_while_indexing(agent: Session, root: str) -> bool:
    """Whether a search began to index before it was given up."""
    told: list[str] = []

    async def give_up() -> None:
        with anyio.CancelScope() as scope:

            async def follow(progress: float, total: float | None, message: str | None) -> None:
                told.append(message or "")
                scope.cancel()

            arguments: dict[str, Any] = {"task": TASK, "root": root}
            await agent.client.call_tool("retrieve_context", arguments, progress_callback=follow)

    agent.do(give_up)
    return told[0].startswith("indexing")
