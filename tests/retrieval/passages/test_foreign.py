from __future__ import annotations

import pytest

from iterative_retrieval.evolution.defaults import default_docs_retrieval
from iterative_retrieval.retrieval.passages.foreign import for_foreign, relative

GENOME = default_docs_retrieval()


def test_within_one_language_nothing_changes() -> None:
    assert for_foreign(GENOME, 1.0).weights == GENOME.weights


def test_across_languages_meaning_counts_more_and_words_less() -> None:
    across = for_foreign(GENOME, 0.1).weights
    assert across["vector_chunk"] > 2 * GENOME.weights["vector_chunk"]
    assert 0 < across["bm25_body"] < GENOME.weights["bm25_body"]
    assert across["prior_first"] == GENOME.weights["prior_first"]


@pytest.mark.parametrize("known", [0.0, 0.5, 1.0])
def test_the_genome_stays_within_its_bounds(known: float) -> None:
    assert type(GENOME).model_validate(for_foreign(GENOME, known).model_dump()) == for_foreign(GENOME, known)


def test_similarities_become_shares_of_the_best() -> None:
    assert relative({"a": 0.2, "b": 0.1}) == {"a": 1.0, "b": 0.5}
    assert relative({"a": 0.0}) == {"a": 0.0}
    assert relative({}) == {}
