import math

import numpy as np
import pytest

from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.retrieval.terms import SECTIONS, keyword_terms, query_terms
from iterative_retrieval.retrieval.text import term_hash

FREQUENCY = {"parser": 2, "token": 5, "expiri": 1, "tokenexpiry": 1, "common": 10}


def frequency(term: str) -> int:
    return FREQUENCY.get(term, 0)


def test_only_words_that_the_corpus_holds_are_asked_for() -> None:
    query = query_terms(read_task("Parser loses TokenExpiry unicorn"), frequency, 10, 50)
    assert query.terms == ["parser", "token", "expiri", "tokenexpiry"]
    assert query.n_parts == 3
    assert query.keys.tolist() == [term_hash(t) for t in query.terms]


def test_idf_is_lucenes() -> None:
    query = query_terms(read_task("parser token"), frequency, 10, 50)
    assert query.idf.tolist() == pytest.approx([math.log(1 + 8.5 / 2.5), math.log(1 + 5.5 / 5.5)])


def test_a_word_that_every_file_holds_still_counts_a_little() -> None:
    query = query_terms(read_task("common"), frequency, 10, 50)
    assert query.idf.tolist() == pytest.approx([math.log(1 + 0.5 / 10.5)])


def test_counts_are_saturated_by_section() -> None:
    query = query_terms(read_task("token\nparser parser token"), frequency, 10, 50)
    two = 1 + math.log(2)
    assert query.terms == ["token", "parser"]
    assert query.weights["title"].tolist() == [1, 0]
    assert query.weights["prose"].tolist() == pytest.approx([1, two])
    assert query.weights["code"].tolist() == [0, 0]
    assert query.weights["all"].tolist() == pytest.approx([two, two])


def test_the_limit_keeps_the_most_informative_terms_in_order_of_mention() -> None:
    query = query_terms(read_task("common token expiry parser"), frequency, 10, 2)
    assert query.terms == ["expiri", "parser"]


def test_known_is_the_share_of_the_titles_words_in_the_corpus() -> None:
    assert query_terms(read_task("Fix parser unicorn"), frequency, 10, 50).known == 0.5
    assert query_terms(read_task("Fix"), frequency, 10, 50).known == 1.0


def test_words_are_shown_as_the_task_writes_them() -> None:
    shown = query_terms(read_task("Parsers: TokenExpiry"), frequency, 10, 50).shown
    assert (shown["parser"], shown["tokenexpiry"]) == ("parsers", "TokenExpiry")


def test_neighbouring_rare_words_make_a_pair() -> None:
    rare = {"red": 1, "panda": 1, "the": 900}
    query = query_terms(read_task("red panda\nthe\nred"), lambda t: rare.get(t, 0), 1000, 50)
    keys, weights = query.bigrams["title"]
    assert keys.tolist() == [(term_hash("red") << 32) | term_hash("panda")]
    assert weights.tolist() == pytest.approx([2 * math.log1p(999.5 / 1.5)])
    assert len(query.bigrams["prose"][0]) == 0


def test_an_empty_corpus_gives_an_empty_query() -> None:
    query = query_terms(read_task("parser"), lambda term: 0, 0, 50)
    assert (query.terms, query.known, query.idf.tolist()) == ([], 0.0, [])


def test_learned_keywords_weigh_the_same_in_every_section() -> None:
    query = keyword_terms(["TokenExpiry", "unicorn"], frequency, 10)
    assert query.terms == ["token", "expiri", "tokenexpiry"]
    assert all(np.array_equal(query.weights[s], [1, 1, 1]) for s in SECTIONS)
    assert query.bigrams == {}
