import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.functions import file_shares, ranked_functions
from iterative_retrieval.retrieval.terms import Vector
from iterative_retrieval.state.analysis import FileAnalysis
from iterative_retrieval.state.source import Chunk, Structure, Symbol, SymbolKind
from tests.retrieval.builders import evaluation

NONE = np.zeros(0, dtype=np.uint32)


def analysis(symbols: list[Symbol], chunks: list[Chunk]) -> FileAnalysis:
    structure = Structure("python", tuple(symbols), (), tuple(chunks))
    return FileAnalysis(None, False, 40, NONE, NONE, np.zeros((len(chunks), 2), np.int32), NONE, structure)


def function(name: str, first: int, last: int) -> Symbol:
    return Symbol(name.rpartition(".")[2], name, SymbolKind.METHOD if "." in name else SymbolKind.FUNCTION, first, last)


def shares(*values: float) -> Vector:
    return np.array(values, dtype=np.float32)


LONG = analysis(
    [Symbol("C", "C", SymbolKind.CLASS, 1, 30), function("C.a", 2, 20), function("C.b", 21, 30)],
    [Chunk(1, 1, "C"), Chunk(2, 20, "C.a"), Chunk(21, 30, "C.b")],
)
SHORT = analysis([function("x", 1, 6), function("y", 7, 9)], [Chunk(1, 10, "")])


def test_a_function_has_its_files_chance_times_its_chunks_share() -> None:
    ranked = ranked_functions(
        {"l.py": 0.5, "s.py": 0.2},
        {"l.py": LONG, "s.py": SHORT},
        {"l.py": shares(0.1, 0.3, 0.6), "s.py": shares(1.0)},
    )
    # 0.5 * 0.6 = 0.3, 0.5 * 0.3 = 0.15, 0.2 * 6 / 9 = 0.133, 0.2 * 3 / 9 = 0.067
    assert ranked == ["l.py:C.b", "l.py:C.a", "s.py:x", "s.py:y"]


def test_classes_are_no_functions() -> None:
    ranked = ranked_functions({"l.py": 1.0}, {"l.py": LONG}, {"l.py": shares(1.0, 0.0, 0.0)})
    assert "l.py:C" not in ranked


def test_ties_break_by_name() -> None:
    twins = analysis([function("b", 1, 3), function("a", 4, 6)], [Chunk(1, 6, "")])
    assert ranked_functions({"t.py": 1.0}, {"t.py": twins}, {"t.py": shares(1.0)}) == ["t.py:a", "t.py:b"]


def test_a_file_without_an_analysis_is_left_out() -> None:
    assert ranked_functions({"gone.py": 1.0}, {}, {}) == []


@given(st.floats(0, 1))
def test_every_function_is_ranked_once(share: float) -> None:
    ranked = ranked_functions({"l.py": 1.0}, {"l.py": LONG}, {"l.py": shares(0.0, share, 1 - share)})
    assert sorted(ranked) == ["l.py:C.a", "l.py:C.b"]


def test_shares_must_fit_the_chunks() -> None:
    with pytest.raises(ValueError, match="zip"):
        ranked_functions({"l.py": 1.0}, {"l.py": LONG}, {"l.py": shares(1.0)})


def test_shares_of_files_follow_their_scores_and_sum_to_one() -> None:
    found = file_shares([evaluation("a.py", score=2.0), evaluation("b.py", score=1.0)])
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["a.py"] / found["b.py"] == pytest.approx(np.e)
    assert file_shares([]) == {}
