import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.matching import find, match
from iterative_retrieval.retrieval.terms import keyword_terms
from iterative_retrieval.retrieval.text import analyse
from iterative_retrieval.state.analysis import FileAnalysis
from tests.retrieval.builders import analyses_of, frequency_in, query_of

_WORDS = st.sampled_from(["red", "panda", "redPanda", "climb", "tree", "tree_top", "zoo"])
_LINES = st.lists(st.lists(_WORDS, max_size=6).map(" ".join), max_size=6).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(_LINES, max_size=5), st.lists(_WORDS, min_size=1, max_size=4))
def test_counts_equal_a_naive_count(contents: list[str], words: list[str]) -> None:
    texts = {f"zoo/tree{i}.txt": text for i, text in enumerate(contents)}
    query = keyword_terms(words, frequency_in(texts), len(texts))
    found = match(list(texts), list(analyses_of(texts).values()), query)
    for i, (path, text) in enumerate(texts.items()):
        for j, term in enumerate(query.terms):
            terms = analyse(text)
            held = terms.parts if j < query.n_parts else terms.wholes
            assert found.body[i, j] == held.count(term)
            assert found.path[i, j] == (analyse(path).parts.count(term) if j < query.n_parts else 0)
        assert found.lengths[i] == len(analyse(text).parts)


@settings(max_examples=30, deadline=None)
@given(st.lists(_LINES, max_size=5))
def test_the_chunks_of_a_file_add_up_to_the_file(contents: list[str]) -> None:
    texts = {f"f{i}.txt": text for i, text in enumerate(contents)}
    query = keyword_terms(["red", "tree", "redPanda"], frequency_in(texts), len(texts))
    found = match(list(texts), list(analyses_of(texts).values()), query)
    for i in range(len(texts)):
        own = slice(found.starts[i], found.starts[i + 1])
        assert found.chunks[own].sum(axis=0).tolist() == found.body[i].tolist()
        assert found.chunk_lengths[own].sum() == found.lengths[i]


def test_names_are_counted_apart() -> None:
    texts = {"a.py": "def red_panda():\n    return red\n\n\nclass Red:\n    pass\n"}
    query = keyword_terms(["red"], frequency_in(texts), 1)
    found = match(["a.py"], list(analyses_of(texts).values()), query)
    assert (found.names.tolist(), found.body.tolist()) == ([[2]], [[3]])


def test_no_files_give_no_rows() -> None:
    found = match([], [], query_of("red", {"a.txt": "red"}))
    assert (found.body.shape, found.chunks.shape, found.starts.tolist()) == ((0, 1), (0, 1), [0])


PAIRED = {"a.txt": "red panda", "b.txt": "red", "c.txt": "panda", **{f"x{i}.txt": "zoo" for i in range(30)}}


def _pairs(texts: dict[str, str]) -> list[float]:
    analyses: dict[str, FileAnalysis] = analyses_of(texts)
    found = match(list(texts), list(analyses.values()), query_of("red panda", PAIRED))
    return [float(x) for x in found.pairs["title"]]


def test_a_pair_is_two_words_side_by_side_in_one_file() -> None:
    assert _pairs({"a.txt": "the red panda", "b.txt": "panda red"}) == [1.0, 0.0]


@pytest.mark.parametrize("between", ["", "\n"])
def test_a_pair_does_not_reach_into_the_next_file(between: str) -> None:
    assert _pairs({"a.txt": "zoo red", "b.txt": between, "c.txt": "panda zoo", "d.txt": ""}) == [0.0] * 4


@given(st.lists(st.integers(0, 200_000), max_size=40), st.sets(st.integers(0, 200_000), min_size=1, max_size=8))
def test_find_gives_every_position_of_every_wanted_key(keys: list[int], wanted: set[int]) -> None:
    ordered = list(wanted)
    positions, which = find(np.array(keys, dtype=np.uint32), np.array(ordered, dtype=np.uint32))
    expected = [(i, ordered.index(k)) for i, k in enumerate(keys) if k in wanted]
    assert list(zip(positions.tolist(), which.tolist(), strict=True)) == expected
