"""Every door once with a real language model: what comes out is whole, counted, and says what happened.

A model of this size is hardly ever right, so nothing here looks at how good its answers are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

from iterative_retrieval import RetrievalResult, retrieve
from iterative_retrieval.graph.ask import AskResult, ask, index_documents
from iterative_retrieval.graph.docsearch_services import DocsearchServices, open_docsearch_services
from iterative_retrieval.graph.evolution_services import open_evolution_services
from iterative_retrieval.graph.evolve import evolve
from iterative_retrieval.graph.model_roles import Models
from iterative_retrieval.graph.prompts import judge_rules
from iterative_retrieval.graph.services import open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.nodes.judges import ModelJudge
from iterative_retrieval.retrieval.answers.citations import check_citations
from iterative_retrieval.state.answer import Answer
from iterative_retrieval.state.documents import StoredChunk
from iterative_retrieval.state.evolution import Budget, MutationKind
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.progress import MutationsProposed, Progress
from iterative_retrieval.state.spending import Spending
from tests.graph.advised import FILES, TASK
from tests.graph.handbook import write
from tests.llm.running import RunningModel
from tests.repositories import write_files
from tests.serving.mcp.sessions import COMMAND, session

pytestmark = [pytest.mark.llm, pytest.mark.timeout(1200)]

QUESTION = "How do I limit retries?"
SCHEMA: dict[str, Any] = {
    "title": "verdict",
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["word"],
    "additionalProperties": False,
}


def settings_of(server: RunningModel, folder: Path, **more: Any) -> Settings:
    """Settings over a running model, with files of their own."""
    chosen: dict[str, Any] = {"model": server.name, "embedder": "none", "model_max_tokens": 400, "model_rereads": 0}
    return Settings(
        openai_base_url=server.url,
        model_timeout=600.0,
        model_retries=0,
        data_dir=folder / "data",
        cache_dir=folder / "cache",
        **(chosen | more),
    )


def handbook_of(server: RunningModel, folder: Path, **more: Any) -> DocsearchServices:
    """Services over a small handbook."""
    services = open_docsearch_services(settings_of(server, folder, **more))
    index_documents("handbook", [str(write(folder / "docs"))], services=services)
    return services


@pytest.fixture(scope="module")
def handbook(real_model: RunningModel, tmp_path_factory: pytest.TempPathFactory) -> DocsearchServices:
    return handbook_of(real_model, tmp_path_factory.mktemp("handbook"))


@pytest.fixture(scope="module")
def asked(handbook: DocsearchServices) -> AskResult:
    return ask(QUESTION, "handbook", fresh=True, services=handbook)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write_files(folder, FILES)
    return folder


@pytest.fixture(scope="module")
def environment(real_model: RunningModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What a process needs to use the model, with the handbook indexed."""
    folder = tmp_path_factory.mktemp("process")
    handbook_of(real_model, folder)
    yield os.environ | {
        "IR_MODEL": real_model.name,
        "OPENAI_BASE_URL": real_model.url,
        "IR_MODEL_TIMEOUT": "600",
        "IR_MODEL_MAX_TOKENS": "400",
        "IR_EMBEDDER": "none",
        "IR_DATA_DIR": str(folder / "data"),
        "IR_CACHE_DIR": str(folder / "cache"),
    }


def test_a_reply_follows_its_schema_and_its_tokens_are_the_servers_count(
    real_model: RunningModel, tmp_path: Path
) -> None:
    model, spending = Models(settings_of(real_model, tmp_path)).of("judge"), Spending()
    assert model is not None
    reply = model.within(spending).structured("You answer with yes or no.", "Is water wet?", SCHEMA)
    assert reply["word"] in ("yes", "no")
    spent = spending.new
    assert (spent.calls, spent.estimated) == (1, 0)
    assert spent.tokens_in > 10 and spent.tokens_out > 3


def test_a_streamed_reply_comes_in_pieces_and_is_counted(real_model: RunningModel, tmp_path: Path) -> None:
    model, spending, pieces = Models(settings_of(real_model, tmp_path)).of("composer"), Spending(), list[str]()
    assert model is not None
    reply = model.within(spending).structured("You answer with yes or no.", "Is water wet?", SCHEMA, pieces.append)
    assert json.loads("".join(pieces)) == reply and len(pieces) > 3
    assert spending.new.estimated == 0


def test_an_answer_is_the_models_or_the_documents_and_says_which(
    handbook: DocsearchServices, asked: AskResult, real_model: RunningModel
) -> None:
    assert_whole(handbook, asked.answer, real_model)
    assert asked.spent.calls >= 2 and asked.spent.tokens_out > 0


def test_the_questions_type_comes_from_the_model_or_the_reason_says_why_not(
    asked: AskResult, real_model: RunningModel
) -> None:
    said = f"{real_model.name} says {asked.route.query_type}" in asked.route.reason
    assert said or "the model did not classify" in asked.route.reason


def test_a_window_too_small_for_the_prompt_costs_the_model_not_the_answer(
    small_window: RunningModel, tmp_path: Path
) -> None:
    services = handbook_of(small_window, tmp_path, model_classifier="none")
    answer = ask(QUESTION, "handbook", fresh=True, services=services).answer
    assert answer.composed_by == "extractive" and "max_retries" in answer.answer
    assert any("context window of 512" in warning for warning in answer.warnings)


def test_a_models_judgement_is_a_score_or_unmeasured_with_a_reason(
    handbook: DocsearchServices, asked: AskResult, real_model: RunningModel, tmp_path: Path
) -> None:
    model = Models(settings_of(real_model, tmp_path)).of("judge")
    assert model is not None
    judged = ModelJudge(model, judge_rules()).judge(QUESTION, asked.answer, cited(handbook, asked.answer), "")
    assert (judged.score is not None and 0.0 <= judged.score <= 10.0) or "unmeasured" in judged.reasoning
    assert judged.cost.calls == 1 and judged.cost.tokens > 100


def test_a_cycle_with_the_model_as_mutator_has_its_candidates_told_and_its_calls_paid(
    real_model: RunningModel, tmp_path: Path
) -> None:
    settings = settings_of(real_model, tmp_path, model="none", model_mutator=real_model.name)
    services, events = open_evolution_services(settings), list[Progress]()
    index_documents("handbook", [str(write(tmp_path / "docs"))], services=handbook_of(real_model, tmp_path))
    rows = [{"question": f"{QUESTION} Case {i}.", "answer": "Set max_retries."} for i in range(30)]
    queries = tmp_path / "queries.jsonl"
    queries.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = evolve(
        "postprocess",
        "general",
        "ada",
        n=2,
        budget=Budget(calls=60),
        source=QuerySource(queries=str(queries), collection="handbook"),
        services=services,
        checkpoints=tmp_path / "cycles.sqlite",
        progress=events.append,
    )
    (proposed,) = [event for event in events if isinstance(event, MutationsProposed)]
    own = [record for record in found.candidates if record.mutation is MutationKind.MODEL]
    assert len(found.candidates) == 2  # offline proposals fill the places the model leaves
    assert own or any(real_model.name in refused for refused in proposed.refused)
    assert all(real_model.name in record.notes for record in own)
    prompts = [call["messages"][-1]["content"] for call in real_model.calls()]
    assert any("Propose 2 mutations" in prompt and f"{QUESTION} Case" in prompt for prompt in prompts)
    assert services.ledger.spending(found.cycle).settled.tokens > 0
    assert found.outcome in ("waiting", "recorded") and found.reason


def test_a_search_with_a_model_finds_at_least_what_it_finds_without(
    real_model: RunningModel, shop: Path, tmp_path: Path
) -> None:
    services = open_services(settings_of(real_model, tmp_path))
    found = retrieve(TASK, shop, services=services)
    offline = retrieve(TASK, shop, llm=False, services=services)
    assert_advised(found, real_model)
    assert {f.path for f in offline.files} <= set(found.ranked)
    assert offline.advice == []


def test_the_command_line_asks_the_model(environment: dict[str, str], real_model: RunningModel) -> None:
    command = [sys.executable, "-m", "iterative_retrieval", "ask", QUESTION, "--collection", "handbook", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["answer"] and told["sources"]
    assert told["composed_by"] == real_model.name or real_model.name in " ".join(told["warnings"])


def test_a_coding_agent_searches_over_mcp_with_the_model(
    environment: dict[str, str], real_model: RunningModel, shop: Path
) -> None:
    before = len(real_model.calls())
    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment, cwd=shop)
    with session(server, roots=[shop]) as agent:
        found = agent.values("retrieve_context", task=TASK, root=str(shop))
    assert found["files"]
    assert len(real_model.calls()) > before


def cited(services: DocsearchServices, answer: Answer) -> list[StoredChunk]:
    """The chunks of an answer's sources."""
    return list(services.collections.open("handbook").chunks([s.chunk for s in answer.sources]).values())


def assert_whole(services: DocsearchServices, answer: Answer, model: RunningModel) -> None:
    """The contract holds, whoever wrote the answer."""
    assert answer.answer and answer.sources and answer.key_points
    assert all(check.verdict == "supported" for check in check_citations(answer, cited(services, answer)))
    if answer.composed_by != model.name:
        assert answer.composed_by == "extractive"
        assert any("language model could not be used" in warning for warning in answer.warnings)


def assert_advised(found: RetrievalResult, model: RunningModel) -> None:
    """Each request for advice is told with its outcome and what it took."""
    assert found.advice and all(advice.model == model.name for advice in found.advice)
    assert all(advice.detail for advice in found.advice)
    assert sum(advice.calls for advice in found.advice) > 0
    assert sum(advice.tokens_in for advice in found.advice) > 100
