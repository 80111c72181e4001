"""Feedback as the queries of a trial."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.graph.ask import index_documents
from iterative_retrieval.graph.docsearch_services import open_docsearch_services
from iterative_retrieval.graph.services import open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.graph.trials import PipelineTrials
from iterative_retrieval.state.errors import CallerError
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.feedback import FeedbackRecord
from tests.repositories import MakeRepo

SOURCE = QuerySource(queries="feedback", collection="docs")


@pytest.fixture
def trials(tmp_path: Path) -> PipelineTrials:
    settings = Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", embedder="none")
    return PipelineTrials(open_services(settings), open_docsearch_services(settings))


def give(trials: PipelineTrials, **fields: Any) -> None:
    given = {"time": 1.0, "tool": "retrieve_context", "text": "Fix the token", "verdict": "partial"}
    trials.docs.feedback.record(FeedbackRecord.model_validate(given | fields))


def test_a_task_is_measured_on_the_files_it_took_at_the_commit_it_was_asked_at(
    trials: PipelineTrials, make_repo: MakeRepo
) -> None:
    repo = make_repo({"token.py": "def token(): ...\n", "other.py": "x = 1\n"}, {"token.py": None, "late.py": "y\n"})
    give(trials, root=str(repo.path), ref=repo.commits[0], needed=["token.py"])
    trial = trials.of("retrieval", "code", SOURCE)
    (query,) = trial.queries()
    assert query.text == "Fix the token" and query.reference["gold_files"] == ["token.py"]
    judged = trial.run(default_retrieval(), query, 0)
    assert judged.metrics["recall@10"] == 10.0 and "late.py" not in judged.response


def test_a_task_rated_twice_counts_once_as_last_rated(trials: PipelineTrials, tmp_path: Path) -> None:
    give(trials, time=1.0, root=str(tmp_path), needed=["old.py"])
    give(trials, time=2.0, root=str(tmp_path), needed=["new.py"])
    (query,) = trials.of("retrieval", "code", SOURCE).queries()
    assert query.reference["gold_files"] == ["new.py"]


def test_feedback_that_cannot_be_measured_is_left_out(trials: PipelineTrials, tmp_path: Path) -> None:
    give(trials, root=str(tmp_path))
    give(trials, text="Another", root=str(tmp_path / "gone"), needed=["a.py"])
    with pytest.raises(CallerError, match="record_feedback"):
        trials.of("retrieval", "code", SOURCE)


def test_rated_questions_to_a_collection_are_asked_again(trials: PipelineTrials, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Retries\n\nThe default is three retries.\n")
    index_documents("docs", [tmp_path / "a.md"], services=trials.docs)
    for time, text in enumerate(("How many?", "Why?", "How many?")):
        give(trials, time=float(time), tool="search_docs", collection="docs", text=text, returned=["a.md#0"])
    give(trials, tool="search_docs", collection="other", text="Elsewhere")
    asked = trials.of("postprocess", "general", SOURCE).queries()
    assert [q.text for q in asked] == ["How many?", "Why?"] and {q.cluster for q in asked} == {"a.md#0"}


@pytest.mark.parametrize("layer", ["routing", "cache_policy"])
def test_feedback_serves_only_layers_it_tells_something_of(trials: PipelineTrials, layer: Any) -> None:
    with pytest.raises(CallerError, match="retrieval and postprocess"):
        trials.of(layer, "general", SOURCE)
