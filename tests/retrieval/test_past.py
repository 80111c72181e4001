import math

import numpy as np
import pytest

from iterative_retrieval.retrieval.past import co_changed, commit_scores, past_evidence, recent_changes
from iterative_retrieval.state.analysis import NO_HISTORY
from tests.retrieval.builders import history_of, query_of

TEXTS = {"a.txt": "upload handler", "b.txt": "router"}
HISTORY = history_of(
    [("Fix upload handler", ["a.py"]), ("Docs", ["z.md"]), ("Upload limits", ["a.py", "b.py"]), ("Router", [])],
    days=[0, 10, 20, 30],
)
QUERY = query_of("upload handler", TEXTS)


def test_only_commits_that_speak_of_the_task_score() -> None:
    scores = commit_scores(QUERY, HISTORY)
    assert scores[0] > scores[2] > 0
    assert scores[[1, 3]].tolist() == [0, 0]


def test_a_commit_scores_bm25_of_its_message() -> None:
    history = history_of([("upload", ["a.py"]), ("router", ["b.py"])])
    query = query_of("upload", TEXTS)
    idf = math.log1p((2 - 1 + 0.5) / 1.5)
    assert commit_scores(query, history).tolist() == pytest.approx([1.25 * idf * 2.2 / 2.2, 0])


def test_similar_commits_vote_for_their_files_and_share_the_vote() -> None:
    found = past_evidence(QUERY, HISTORY)
    scores = commit_scores(QUERY, HISTORY)
    assert found.similar == pytest.approx({"a.py": scores[0] + scores[2] / 1.3, "b.py": scores[2] / 1.3})
    assert found.counts == {"a.py": 2, "b.py": 1}
    assert found.best == {"a.py": "Fix upload handler", "b.py": "Upload limits"}


def test_only_the_top_commits_vote() -> None:
    assert past_evidence(QUERY, HISTORY, top=1).counts == {"a.py": 1}
    assert past_evidence(QUERY, HISTORY, top=0).counts == {}


def test_a_change_counts_half_after_its_half_life() -> None:
    assert recent_changes(HISTORY, 20.0) == pytest.approx({"a.py": 1.5, "b.py": 0.5, "z.md": 2**-0.5})


def test_very_old_changes_are_forgotten() -> None:
    assert recent_changes(history_of([("now", ["a"]), ("old", ["b"])], days=[0, 1000]), 10.0) == {"a": 1.0}


def test_files_that_change_together_share_the_seeds_weight() -> None:
    history = history_of([("x", ["a", "b"]), ("y", ["a", "b", "c"]), ("z", ["a"])])
    assert co_changed(history, {"a": 1.0}) == pytest.approx({"b": (1 + 0.5) / 5, "c": 0.5 / 5})


def test_sweeping_commits_join_nothing() -> None:
    assert co_changed(history_of([("x", ["a", "b", "c"])]), {"a": 1.0}, max_files=2) == {}


def test_a_folder_without_history_has_no_past() -> None:
    found = past_evidence(QUERY, NO_HISTORY)
    assert (found.similar, found.recent) == ({}, {})
    assert np.array_equal(commit_scores(QUERY, NO_HISTORY), [])
