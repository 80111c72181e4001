"""The test session of a routing genome: by a model, by its script, and without a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

import pytest

from iterative_retrieval.evolution.defaults import default_genome
from iterative_retrieval.evolution.seed_prompt import session_script
from iterative_retrieval.graph.docsearch_services import open_docsearch_services
from iterative_retrieval.graph.evolution_services import default_evolution_services
from iterative_retrieval.serving.cli import main
from iterative_retrieval.state.evolution import EvalQuery, Mutation, MutationKind
from iterative_retrieval.state.ledger_ports import CycleRecord
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.sql import SqlStore
from tests.openai_server import CallsTools, Decides, OpenAIServer, Reply, Say
from tests.serving.mcp.place import Place, make_place

ASKED = {
    "How do I limit retries?": "how_to",
    "What is the default time-out in seconds?": "factual_lookup",
    "Why are answers with warnings kept out of the cache?": "explanation",
}


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place whose ledger holds candidates: 2 of domain general, 4 of domain bsl, which has no collection."""
    place = make_place(tmp_path_factory.mktemp("tried"))
    store = SqlStore(place.settings.database)
    ledger = LedgerService(store)
    for domain in ("general", "bsl"):
        shipped = default_genome("routing", domain)
        ledger.ensure_default("routing", domain, shipped)
        genome = shipped.model_dump(mode="json") | {"min_confidence": 0.0}
        queries = [EvalQuery(id=text, text=text, slice=kind) for text, kind in ASKED.items()]
        script = session_script(genome, queries, domain)
        ledger.open_cycle(CycleRecord(id=domain, layer="routing", domain=domain, requester="ada"))
        ledger.propose(domain, Mutation(genome=genome, kind=MutationKind.STEP, eval_seed_prompt=script))
    store.close()
    return place


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


class Replay(Protocol):
    """Runs the command in this process (its server is one of its own); what it prints, as values."""

    def __call__(self, *options: str, model: OpenAIServer | None = None) -> Any: ...


@pytest.fixture
def replay(tried: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Replay:
    def run(*options: str, model: OpenAIServer | None = None) -> Any:
        endpoint = {"IR_MODEL_JUDGE": "small", "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"} if model else {}
        for name in ("IR_MODEL_JUDGE", "IR_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        for name, value in (tried.environment | endpoint | {"IR_MODEL_RETRIES": "0"}).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tried.shop)
        default_evolution_services.cache_clear()
        code = main(["evolve", "replay", *options, "--json"])
        found = json.loads(capsys.readouterr().out)
        assert ("error" in found) == (code == 2)
        return found

    return run


def test_a_models_calls_go_through_the_server_and_their_routes_are_told(replay: Replay, model: OpenAIServer) -> None:
    first, second, third = ASKED
    model.then(
        CallsTools([("search_docs", {"question": first, "domain": "general"}), ("search_docs", {"question": second})]),
        CallsTools([("search_docs", {"question": third, "collection": "nope"}), ("record_feedback", {})]),
        CallsTools([("search_docs", "no json"), ("retrieve_context", {"task": "Fix the token expiry bug"})]),
        Say("1. how_to right", deaf=True),
    )
    report = replay("2", model=model)
    assert (report["way"], report["stopped"], report["summary"]) == ("agent", "the agent was done", "1. how_to right")
    made = [(c["tool"], c["text"], c["expected"]) for c in report["calls"]]
    assert made == [
        ("search_docs", first, "how_to"),
        ("search_docs", second, "factual_lookup"),
        ("search_docs", third, "explanation"),
        ("record_feedback", "", ""),
        ("retrieve_context", "Fix the token expiry bug", ""),
    ]
    routed, _, failed, refused, code = report["calls"]
    assert routed["query_type"] == "how_to" and routed["verdict"] == "right" and routed["reason"]
    assert failed["verdict"] == "failed" and "no collection named 'nope'" in failed["failure"]
    assert refused["verdict"] == "failed" and "there is no tool" in refused["failure"]
    assert code["query_type"] == "bug_report" and code["verdict"] == "unlabelled"
    assert report["spent"]["calls"] == 4
    asked = [request.body for request in model.requests]
    assert {t["function"]["name"] for t in asked[0]["tools"]} == {"search_docs", "retrieve_context", "explain_file"}
    assert "Make the calls below in this order" in asked[0]["messages"][1]["content"]
    told = asked[1]["messages"][-2:]
    assert [m["role"] for m in told] == ["tool", "tool"] and "max_retries" in told[0]["content"]


@pytest.mark.parametrize(("option", "words"), [
    (["--calls", "2"], "2 calls were made"),
    (["--tokens", "7000"], "the budget is spent"),
])  # fmt: skip
def test_a_session_that_would_never_end_meets_its_limits(
    replay: Replay, model: OpenAIServer, option: list[str], words: str
) -> None:
    def again(body: dict[str, Any]) -> Reply:
        return CallsTools([("retrieve_context", {"task": f"Fix the token expiry bug {len(body['messages'])}"})])

    model.then(Decides(again))
    report = replay("2", *option, model=model)
    assert words in report["stopped"] and 0 < len(report["calls"]) < 24


def test_a_model_that_fails_ends_the_session_and_says_so(replay: Replay, model: OpenAIServer) -> None:
    report = replay("2", model=model)  # nothing queued: the server answers 500
    assert report["way"] == "agent" and report["calls"] == []
    assert "the model failed" in report["stopped"] and "500" in report["stopped"]


def test_without_a_model_the_script_goes_through_the_server_under_the_genome(replay: Replay, tried: Place) -> None:
    report = replay("2")
    assert report["way"] == "server" and "no model is configured" in report["note"]
    assert {c["text"]: c["expected"] for c in report["calls"]} == ASKED
    here = replay("2", "--how", "in-process")
    assert here["way"] == "in-process"
    routes = [[(c["query_type"], c["profile"]) for c in r["calls"]] for r in (report, here)]
    assert routes[0] == routes[1]
    assert "default" not in {c["profile"] for c in report["calls"]}  # the candidate's mark is low, the active one's not
    services = open_docsearch_services(tried.settings)  # and nothing of the session stays
    assert services.log.rows() == [] and services.feedback.rows() == []
    assert services.cache.stats()["entries"] == 0


def test_a_domain_without_a_collection_is_replayed_in_process_and_told_why(replay: Replay) -> None:
    report = replay("4")
    assert report["way"] == "in-process" and "no collection of domain 'bsl'" in report["note"]
    assert len(report["calls"]) == len(ASKED)


@pytest.mark.parametrize(("options", "words"), [
    (["4", "--how", "server"], "no collection of domain 'bsl'"),
    (["2", "--how", "agent"], "set IR_MODEL"),
    (["99"], "99"),
])  # fmt: skip
def test_a_session_that_cannot_be_held_is_refused(replay: Replay, options: list[str], words: str) -> None:
    assert words in replay(*options)["error"]["message"]
