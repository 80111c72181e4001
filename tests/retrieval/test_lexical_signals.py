import math

import numpy as np
import pytest

from iterative_retrieval.retrieval.lexical_signals import (
    FieldWeights,
    bm25f,
    lexical_signals,
    path_terms,
    strongest_terms,
)
from iterative_retrieval.retrieval.matching import match
from tests.retrieval.builders import analyses_of, query_of

TEXTS = {"panda.py": "def red(): pass\n", "zoo.txt": "red panda panda\nzoo", "sea.txt": "fish fish fish fish"}
PATHS = list(TEXTS)
QUERY = query_of("red panda", TEXTS)
FOUND = match(PATHS, list(analyses_of(TEXTS).values()), QUERY)
IDF_RED = math.log(1 + 1.5 / 2.5)  # two of three files hold it
IDF_PANDA = math.log(1 + 2.5 / 1.5)


def test_bm25f_pools_the_fields_before_it_saturates() -> None:
    knobs = FieldWeights(k1=1.2, b=0.5, path=4.0, definitions=3.0)
    values = bm25f(FOUND, 4.0, knobs)
    norm = 0.5 + 0.5 * 3 / 4  # "def red pass" has three parts
    red = 1 / norm + 3.0
    assert values[0].tolist() == pytest.approx([red * 2.2 / (red + 1.2), 4.0 * 2.2 / (4.0 + 1.2)])
    assert values[1].tolist() == pytest.approx([2.2 / 2.2, 2 * 2.2 / (2 + 1.2)])
    assert values[2].tolist() == [0, 0]


def test_a_section_weighs_its_terms_by_idf() -> None:
    signals = lexical_signals(QUERY, FOUND, 4.0, FieldWeights())
    assert signals["bm25f_title"][1] == pytest.approx(2.2 / 2.2 * IDF_RED + 2 * 2.2 / 3.2 * IDF_PANDA)
    assert signals["bm25f_prose"].tolist() == [0, 0, 0]


def test_coverage_is_the_share_of_the_tasks_information() -> None:
    signals = lexical_signals(QUERY, FOUND, 4.0, FieldWeights())
    assert signals["coverage_title"].tolist() == pytest.approx([1, 1, 0])
    assert signals["names_title"].tolist() == pytest.approx([IDF_RED, 0, 0])
    assert signals["path_title"].tolist() == pytest.approx([IDF_PANDA / math.sqrt(2), 0, 0])


def test_every_signal_has_a_value_for_every_file() -> None:
    signals = lexical_signals(QUERY, FOUND, 4.0, FieldWeights())
    assert all(v.shape == (3,) and np.isfinite(v).all() and (v >= 0).all() for v in signals.values())


def test_a_query_without_terms_gives_zeros() -> None:
    query = query_of("unicorn", TEXTS)
    found = match(PATHS, list(analyses_of(TEXTS).values()), query)
    assert all(v.tolist() == [0, 0, 0] for v in lexical_signals(query, found, 4.0, FieldWeights()).values())


def test_the_best_chunk_speaks_for_the_file() -> None:
    body = "\n".join(f"def f{i}():\n    {'red ' * (i == 1)}\n    return {i}\n" for i in range(4))
    texts = {"a.py": body, "b.txt": "zoo"}
    query = query_of("red", texts)
    signals = lexical_signals(query, match(list(texts), list(analyses_of(texts).values()), query), 20.0, FieldWeights())
    assert 0 < signals["chunk_title"][0] <= signals["chunks3_title"][0]
    assert signals["chunk_title"][1] == 0


def test_the_strongest_terms_are_told_as_the_task_writes_them() -> None:
    texts = {"a.txt": "pandas climb", "b.txt": "climb"}
    query = query_of("Climbing Pandas", texts)
    found = match(list(texts), list(analyses_of(texts).values()), query)
    assert strongest_terms(query, found, 0) == ["pandas", "climbing"]
    assert strongest_terms(query, found, 1, limit=1) == ["climbing"]
    assert path_terms(QUERY, FOUND, 0) == ["panda"]
