"""LangGraph Server, offline: one `langgraph dev` process, asked by its own SDK, by an MCP client and over A2A."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from benchmarks.labelled_answers import labelled_answers
from iterative_retrieval.graph.ask import index_documents
from iterative_retrieval.graph.docsearch_services import open_docsearch_services
from iterative_retrieval.graph.evolution_services import open_evolution_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.caching import CachePolicyGenome
from iterative_retrieval.state.evolution import GenomeStatus
from tests.blocks import run_blocks
from tests.graph.handbook import write
from tests.repositories import write_files
from tests.samples import TOKEN_EXPIRY

REPOSITORY = Path(__file__).parents[2]
TASK = "Fix the authentication token expiry bug"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("langgraph_api") is None, reason="langgraph dev is not installed; see the extra studio"
    ),
]


@dataclass(frozen=True)
class Place:
    """A running server and where its things lie. folder: the current one of the server."""

    url: str
    folder: Path
    root: Path
    queries: Path
    settings: Settings

    @property
    def client(self) -> SyncLangGraphClient:
        return get_sync_client(url=self.url)

    def assistant(self, graph: str) -> str:
        return str(self.client.assistants.search(graph_id=graph)[0]["assistant_id"])

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("server")
    settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", embedder="none")
    write_files(folder / "shop", TOKEN_EXPIRY)
    index_documents("handbook", [write(folder / "docs")], services=open_docsearch_services(settings))
    shutil.copytree(REPOSITORY / "evolution/domains/general", folder / "domains/strict")
    strict = CachePolicyGenome(min_sources_count=4)  # so strict that nearly any step is better
    (folder / "domains/strict/cache_policy.json").write_text(strict.model_dump_json())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    command += ["--config", str(REPOSITORY / "langgraph.json"), "--n-jobs-per-worker", "8"]
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("IR_", "LANGSMITH_", "LANGCHAIN_", "OPENAI_"))}
    own = {
        "IR_DATA_DIR": str(settings.data_dir),
        "IR_CACHE_DIR": str(settings.cache_dir),
        "IR_DOMAIN_FOLDERS": str(folder / "domains"),
        "IR_EMBEDDER": "none",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
    }
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=kept | own, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    found = Place(f"http://127.0.0.1:{port}", folder, folder / "shop", labelled_answers(folder / "log.jsonl"), settings)
    try:
        _wait_for(found, server)
        yield found
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=30)


def _wait_for(place: Place, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert server.poll() is None, place.log[-3000:]
        try:
            if httpx.get(f"{place.url}/ok", timeout=1).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not start: {place.log[-3000:]}")


def _cycle(place: Place) -> dict[str, Any]:
    source = {"queries": str(place.queries), "limit": 10_000}
    return {"layer": "cache_policy", "domain": "strict", "requester": "ada", "seed": 0, "source": source}


def test_the_three_graphs_are_there_with_descriptions(place: Place) -> None:
    found = {a["graph_id"]: a.get("description") for a in place.client.assistants.search()}
    assert set(found) == {"retrieval", "docsearch", "evolution"}
    assert all(found.values())


def test_a_form_has_words_bounds_and_examples(place: Place) -> None:
    schemas = {
        g: place.client.assistants.get_schemas(place.assistant(g)) for g in ("retrieval", "docsearch", "evolution")
    }
    inputs: dict[str, Any] = {graph: found["input_schema"] for graph, found in schemas.items()}
    for form in inputs.values():
        assert all(field["description"] for field in form["properties"].values())
        assert any(field.get("examples") for field in form["properties"].values())
    told = inputs["retrieval"]
    assert set(inputs["evolution"]["properties"]["layer"]["enum"]) == {
        "postprocess",
        "routing",
        "cache_policy",
        "retrieval",
    }
    assert told["properties"]["max_cycles"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 3}
    assert told["properties"]["task"]["examples"]
    context: Any = schemas["retrieval"]["context_schema"]
    assert context["properties"]["max_files"]["anyOf"][0]["maximum"] == 40
    docs: Any = schemas["docsearch"]["context_schema"]
    assert docs["properties"]["system_prompt"]["langgraph_nodes"] == ["postprocess"]


def test_a_stream_brings_updates_and_progress(place: Place) -> None:
    request = {"task": TASK, "root": str(place.root)}
    parts = list(
        place.client.runs.stream(
            None, "retrieval", input=request, stream_mode=["updates", "custom"], context={"max_files": 1}
        )
    )
    kinds = [p.data["kind"] for p in parts if p.event == "custom"]
    assert kinds[-1] == "finished"
    assert "cycle_evaluated" in kinds
    updates: list[Any] = [p.data for p in parts if p.event == "updates"]
    assert [next(iter(u)) for u in updates][:2] == ["route", "dispatch"]
    assert len(updates[-1]["finish"]["package"]["files"]) == 1


def test_bad_input_is_refused_in_words_and_the_thread_can_be_looked_at(place: Place) -> None:
    client = place.client
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("retrieval", {"task": TASK, "max_cycles": 9}, "max_cycles: Input should be less than or equal to 3"),
        ("docsearch", {"question": "How?", "collection": "nowhere"}, "no collection 'nowhere'"),
    ]
    for graph, request, said in refused:
        thread = client.threads.create()["thread_id"]
        parts = list(client.runs.stream(thread, graph, input=request))
        errors: list[Any] = [p.data for p in parts if p.event == "error"]
        assert said in errors[0]["message"]
        assert client.threads.get_state(thread)["tasks"][0]["error"]


def test_a_run_goes_on_from_an_earlier_package(place: Place) -> None:
    first: Any = place.client.runs.wait(None, "retrieval", input={"task": TASK, "root": str(place.root)})
    request = {"previous": first["package"], "gap": "How is the invoice total computed?"}
    more: Any = place.client.runs.wait(None, "retrieval", input=request)
    files = {f["path"]: bool(f["known"]) for f in more["package"]["files"]}
    assert files["src/auth.ts"] and not files["src/billing/invoice.ts"]


def test_a_documentation_question_is_answered(place: Place) -> None:
    request = {"question": "How long is a time-out?", "collection": "handbook"}
    out: Any = place.client.runs.wait(None, "docsearch", input=request)
    assert "30 seconds" in out["answer"]["answer"]


def test_a_cancelled_cycle_goes_on_asks_a_person_and_is_resumed(place: Place) -> None:
    client = place.client
    thread = client.threads.create()["thread_id"]
    first = client.runs.create(thread, "evolution", input=_cycle(place), stream_mode=["custom"], stream_resumable=True)
    for part in client.runs.join_stream(thread, first["run_id"], stream_mode=["custom"]):
        if part.event == "custom":  # it is under way
            break
    client.runs.cancel(thread, first["run_id"], wait=True)
    assert client.runs.get(thread, first["run_id"])["status"] == "interrupted"
    assert client.threads.get_state(thread)["next"]

    parts = list(client.runs.stream(thread, "evolution", input=None, stream_mode=["updates", "custom"]))
    assert "genome_judged" in {p.data["kind"] for p in parts if p.event == "custom"}
    state: Any = client.threads.get_state(thread)
    assert state["next"] == ["await_approval"], state["values"]["reason"]
    [asked] = state["tasks"][0]["interrupts"]
    ledger = open_evolution_services(place.settings).ledger
    genome = ledger.genome(asked["value"]["genome_id"])
    assert genome.status is GenomeStatus.PENDING_APPROVAL

    done = run_blocks("langgraph.md", {"client": client, "thread": thread}, continued=True)["done"]
    assert done["outcome"] == "activated"
    assert ledger.genome(genome.id).status is GenomeStatus.ACTIVE
    assert client.threads.get(thread)["status"] == "idle"


async def test_the_graphs_are_tools_of_an_mcp_client(place: Place) -> None:
    from mcp import Client

    async with Client(f"{place.url}/mcp") as client:
        tools = {t.name: t for t in (await client.list_tools()).tools}
        assert set(tools) == {"retrieval", "docsearch", "evolution"}
        assert tools["retrieval"].input_schema["properties"]["task"]["description"]
        result = await client.call_tool("retrieval", {"task": TASK, "root": str(place.root)})
    assert "src/auth.ts" in str(result.content)


def test_the_graphs_speak_a2a(place: Place) -> None:
    assistant = place.assistant("retrieval")
    card = httpx.get(f"{place.url}/.well-known/agent-card.json", params={"assistant_id": assistant}).json()
    assert card["name"] == "retrieval"
    message = {
        "role": "user",
        "messageId": "1",
        "parts": [{"kind": "data", "data": {"task": TASK, "root": str(place.root)}}],
    }
    call = {"jsonrpc": "2.0", "id": "1", "method": "message/send", "params": {"message": message}}
    told = httpx.post(f"{place.url}/a2a/{assistant}", json=call, timeout=60).json()["result"]
    assert told["status"]["state"] == "completed"
    assert "src/auth.ts" in json.dumps(told["artifacts"])


def test_the_page_for_langgraph_runs(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    left = run_blocks("langgraph.md", {"url": place.url, "root": str(place.root)})
    assert "src/auth.ts" in {f["path"] for f in left["package"]["files"]}
    assert "cycle_evaluated" in capsys.readouterr().out


def test_no_step_blocks_the_servers_event_loop_and_no_state_lands_in_the_repository(place: Place) -> None:
    """Runs last: it looks at what the others left behind."""
    assert "BlockingError" not in place.log
    assert "Blocking call" not in place.log
    assert (place.folder / ".langgraph_api").is_dir()
    ignored = subprocess.run(["git", "check-ignore", "-q", ".langgraph_api/x"], cwd=REPOSITORY, check=False)
    assert ignored.returncode == 0
