import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.retrieval.named import NamedDefinitions
from iterative_retrieval.retrieval.relevance import (
    interpolate,
    judge,
    judge_scores,
    linear_scores,
    scaled,
    scales_of,
    softmax,
    weighted_evidence,
)
from iterative_retrieval.retrieval.signals import FileRow, SignalTable
from iterative_retrieval.state.genome import RetrievalGenome

NAMES = [
    "bm25f_title", "coverage_title", "defines_quoted", "defines_title", "dotted", "frame", "graph_importers",
    "graph_imports", "graph_siblings", "learned", "quoted_path", "role_test",
]  # fmt: skip
GENOMES = [default_retrieval(), RetrievalGenome(weights={"bm25f_title": 3.0, "role_test": -2.0})]


def table(rows: list[dict[str, float]]) -> SignalTable:
    values = np.array([[row.get(n, 0.0) for n in NAMES] for row in rows], dtype=np.float32).reshape(-1, len(NAMES))
    empty = NamedDefinitions({}, [])
    paths = [f"f{i}.py" for i in range(len(rows))]
    return SignalTable(paths, NAMES, values, [FileRow(v, [], [], empty) for v in values])


_ROW = st.fixed_dictionaries({n: st.floats(0, 1, width=32) for n in NAMES})
_TABLES = st.lists(_ROW, max_size=8).map(table)


@settings(max_examples=80, deadline=None)
@given(_TABLES, st.floats(0, 1), st.sampled_from(GENOMES))
def test_relevance_stays_on_the_rubric_and_never_rises_down_the_ranking(
    found: SignalTable, known: float, genome: RetrievalGenome
) -> None:
    judged = judge(found, scales_of(found, {}), known, genome)
    order = sorted(range(len(found.paths)), key=lambda i: (-judged.score[i], found.paths[i]))
    relevance = judged.relevance[order]
    assert ((relevance >= 0) & (relevance <= 1)).all()
    assert (np.diff(relevance) <= 0).all()


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.sampled_from(GENOMES))
def test_probability_rises_with_the_score(scores: list[float], genome: RetrievalGenome) -> None:
    judged = judge_scores(np.array(scores), table([{}] * len(scores)), 1.0, genome)
    order = np.argsort(judged.score, kind="stable")
    assert (np.diff(judged.probability[order]) >= 0).all()
    assert ((judged.probability >= 0) & (judged.probability <= 1)).all()


def test_a_file_that_speaks_of_nothing_cannot_be_relevant() -> None:
    genome = RetrievalGenome(weights={"bm25f_title": 8.0})
    silent = judge(table([{"bm25f_title": 1.0}, {}]), {"bm25f_title": 1.0}, 1.0, genome)
    spoken = judge(table([{"bm25f_title": 1.0, "coverage_title": 1.0}, {}]), {"bm25f_title": 1.0}, 1.0, genome)
    assert silent.relevance[0] == pytest.approx(0.1)
    assert spoken.relevance[0] > 0.9


def test_words_that_the_corpus_does_not_know_lower_the_ceiling() -> None:
    genome = RetrievalGenome(weights={"bm25f_title": 8.0})
    rows = table([{"bm25f_title": 1.0, "coverage_title": 1.0}, {}])
    assert judge(rows, {"bm25f_title": 1.0}, 0.2, genome).relevance[0] == pytest.approx(0.5)


def test_a_quoted_path_is_full_support() -> None:
    genome = RetrievalGenome(weights={"quoted_path": 8.0})
    assert judge(table([{"quoted_path": 1.0}, {}]), {}, 0.0, genome).relevance[0] > 0.9


def test_files_with_the_learned_words_are_related() -> None:
    genome = RetrievalGenome(weights={"bm25f_title": 8.0}, calibration=[[-5.0, 1e-6], [5.0, 1.0]])
    rows = [{"bm25f_title": 1.0, "coverage_title": 1.0}, {"learned": 2.0, "graph_imports": 0.1}, {"learned": 1.0}]
    judged = judge(table(rows), {"bm25f_title": 1.0}, 1.0, genome)
    assert judged.relevance[1:].tolist() == pytest.approx([0.45 + 0.25, 0.45 / 2])


def test_a_signal_is_scaled_by_its_maximum_over_sources() -> None:
    rows = table([{"bm25f_title": 2.0}, {"bm25f_title": 4.0}, {"bm25f_title": 40.0, "role_test": 1.0}])
    scales = scales_of(rows, {})
    assert scales["bm25f_title"] == 4.0
    assert scaled(rows, scales)[:, 0].tolist() == [0.5, 1.0, 1.5]


def test_the_scale_of_the_first_cycle_is_kept() -> None:
    assert scales_of(table([{"bm25f_title": 9.0}]), {"bm25f_title": 4.0})["bm25f_title"] == 4.0


def test_tests_set_the_scale_only_when_nothing_else_does() -> None:
    assert scales_of(table([{"bm25f_title": 9.0, "role_test": 1.0}]), {})["bm25f_title"] == 9.0


def test_shares_and_priors_are_not_scaled() -> None:
    rows = table([{"coverage_title": 0.25, "role_test": 1.0, "frame": 0.8}])
    assert not {"coverage_title", "role_test", "frame", "quoted_path", "dotted"} & scales_of(rows, {}).keys()
    assert scaled(rows, {})[0, NAMES.index("coverage_title")] == 0.25


def test_a_score_is_the_weighted_sum_and_evidence_its_terms() -> None:
    genome = RetrievalGenome(weights={"bm25f_title": 2.0, "frame": -1.0})
    rows = table([{"bm25f_title": 2.0, "frame": 0.5, "learned": 1.0}])
    scales = {"bm25f_title": 4.0, "learned": 1.0}
    assert linear_scores(scaled(rows, scales), rows.names, genome.weights).tolist() == [0.5]
    assert weighted_evidence(rows, 0, scales, genome) == {"bm25f_title": 1.0, "frame": -0.5, "learned": 0.0}


def test_softmax_gives_shares() -> None:
    assert softmax(np.array([0.0, math.log(3)])).tolist() == pytest.approx([0.25, 0.75])
    assert softmax(np.array([1e6, 0.0])).tolist() == [1.0, 0.0]
    assert softmax(np.zeros(0)).tolist() == []


def test_interpolation_is_flat_outside_its_knots() -> None:
    assert interpolate(np.array([-9.0, 0.5, 9.0]), [[0.0, 0.2], [1.0, 0.4]]).tolist() == pytest.approx([0.2, 0.3, 0.4])
