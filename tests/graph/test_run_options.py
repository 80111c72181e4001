"""A run may set a few genes apart, within their bounds; nobody else notices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from iterative_retrieval import build_docsearch_graph, build_retrieval_graph
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.caching import AdmissionReason, LookupReason
from iterative_retrieval.state.errors import CallerError
from iterative_retrieval.state.postprocess import PostprocessGenome
from iterative_retrieval.state.routing import DepthBudget
from iterative_retrieval.state.run_options import DocsearchOptions, RetrievalOptions
from tests.graph.handbook import indexed
from tests.repositories import write_files
from tests.samples import TOKEN_EXPIRY

TASK = "Fix the authentication token expiry bug"
QUESTION: Any = {"question": "How do I limit retries?", "collection": "handbook"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write_files(folder, TOKEN_EXPIRY)
    return folder


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return open_services(Settings(cache_dir=tmp_path_factory.mktemp("cache")))


def _found(services: Services, root: Path, context: Any = None) -> list[str]:
    request: Any = {"task": TASK, "root": str(root)}
    return [f.path for f in build_retrieval_graph(services).invoke(request, context=context)["package"].files]


def test_a_run_may_ask_for_fewer_files(root: Path, services: Services) -> None:
    all_of_them = _found(services, root)
    for context in (RetrievalOptions(max_files=1), {"max_files": 1}):
        assert _found(services, root, context) == all_of_them[:1]
    assert _found(services, root) == all_of_them


def test_a_run_may_be_content_with_less(root: Path, services: Services) -> None:
    request: Any = {"task": TASK, "root": str(root)}
    strict = build_retrieval_graph(services).invoke(request)["package"]
    easy: Any = {"wanted": 1, "sufficient_confidence": 0.0}
    assert len(strict.cycles) > 1
    assert len(build_retrieval_graph(services).invoke(request, context=easy)["package"].cycles) == 1


@pytest.mark.parametrize("context", [{"max_files": 0}, {"max_files": 41}, {"packed": 1.5}, {"format": "poem"}])
def test_an_option_out_of_its_genes_bounds_is_refused(context: Any, root: Path, services: Services) -> None:
    with pytest.raises((CallerError, ValidationError), match=next(iter(context))):
        _found(services, root, context)


def test_an_unknown_option_is_refused(root: Path, services: Services) -> None:
    context: Any = {"max_fils": 1}
    with pytest.raises(ValidationError, match="max_fils"):
        _found(services, root, context)


def test_a_foreign_context_is_left_alone(root: Path, services: Services) -> None:
    @dataclass
    class Foreign:
        max_files: int = 1

    from langgraph.graph import START, StateGraph

    from iterative_retrieval.state.retrieval import RetrievalState

    builder = StateGraph(RetrievalState, context_schema=Foreign)
    builder.add_node("retrieve", build_retrieval_graph(services))
    builder.add_edge(START, "retrieve")
    request: Any = {"task": TASK, "root": str(root)}
    out = builder.compile().invoke(request, context=Foreign())
    assert [f.path for f in out["package"].files] == _found(services, root)


def test_the_form_shows_the_genes_own_bounds_and_words() -> None:
    told = build_retrieval_graph(open_services()).get_context_jsonschema() or {}
    field = told["properties"]["max_files"]
    assert field["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 40}
    assert str(DepthBudget.model_fields["max_files"].description) in field["description"]


def test_prompts_are_edited_beside_their_nodes() -> None:
    told = DocsearchOptions.model_json_schema()["properties"]
    assert told["system_prompt"]["langgraph_nodes"] == ["postprocess"]
    assert told["classifier_prompt"]["langgraph_nodes"] == ["route"]
    prompts = {name for name, field in told.items() if field.get("langgraph_type") == "prompt"}
    assert prompts == {"classifier_prompt", "system_prompt", "system_prompt_reduce"}
    longest = next(m.max_length for m in PostprocessGenome.model_fields["system_prompt"].metadata)
    assert told["system_prompt"]["anyOf"][0]["maxLength"] == longest


def test_an_answer_with_options_stays_out_of_the_cache(tmp_path: Path) -> None:
    graph = build_docsearch_graph(indexed(tmp_path))
    context: Any = {"chunk_count": 1}
    apart = graph.invoke(QUESTION, context=context)
    assert apart["lookup"].reason is LookupReason.BYPASSED
    assert apart["admission"].reason is AdmissionReason.CANDIDATE_GENOME
    usual = graph.invoke(QUESTION)
    assert not usual["lookup"].hit
    assert usual["admission"].admitted
    assert not graph.invoke(QUESTION, context=context)["lookup"].hit
    assert graph.invoke(QUESTION)["lookup"].hit
