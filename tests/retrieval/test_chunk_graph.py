import numpy as np
import pytest

from iterative_retrieval.retrieval.chunk_graph import GRAPH_SIGNALS, ChunkGraph, chunk_graph, neighbour_columns
from tests.retrieval.builders import analyses_of


def _function(name: str, *calls: str) -> str:
    body = "".join(f"    value_{i} = {call}(first, second, third)\n" for i, call in enumerate(calls))
    return f"def {name}(first, second, third):\n{body}" + "    first = second\n" * 5 + "    return first\n\n\n"


TEXTS = {
    "a.py": _function("read_all", "parse_line", "close_file") + _function("parse_line") + _function("write_all"),
    "b.py": _function("close_file") + "class Reader:\n    x = 1\n\n",
}
ANALYSES = analyses_of(TEXTS)
GRAPH = chunk_graph(ANALYSES)


def place(symbol: str) -> int:
    """The number of a chunk in the graph."""
    return [c.symbol for a in ANALYSES.values() for c in a.structure.chunks].index(symbol)


def columns(likely: str) -> dict[str, np.ndarray]:
    """The columns when one chunk holds all the chance."""
    chances = np.zeros(len(GRAPH.owners))
    chances[place(likely)] = 3.0
    return dict(zip(GRAPH_SIGNALS, neighbour_columns(GRAPH, chances).T, strict=True))


def test_a_chunk_that_a_likely_one_speaks_of_gains_in_its_file_and_across() -> None:
    found = columns("read_all")
    assert found["chunk_spoken_of_here"][place("parse_line")] == 1.0
    assert found["chunk_spoken_of"][place("parse_line")] == 0.0
    assert found["chunk_spoken_of"][place("close_file")] == 1.0
    assert found["chunk_spoken_of"][place("write_all")] == 0.0


def test_a_chunk_that_speaks_of_a_likely_one_gains() -> None:
    assert columns("parse_line")["chunk_speaks_of"][place("read_all")] == 1.0
    assert columns("parse_line")["chunk_speaks_of"][place("write_all")] == 0.0


def test_neighbours_in_the_text_gain_but_not_across_files() -> None:
    beside = columns("write_all")["chunk_beside"]
    assert beside[place("parse_line")] == 1.0
    assert beside[place("close_file")] == 0.0


def test_the_rest_of_a_class_is_what_the_chunk_itself_does_not_hold() -> None:
    text = "class Reader:\n" + "".join(
        "    " + line + "\n" for name in ("one", "two") for line in _function(name).rstrip().split("\n")
    )
    analyses = analyses_of({"r.py": text})
    graph = chunk_graph(analyses)
    symbols = [c.symbol for c in analyses["r.py"].structure.chunks]
    chances = np.array([float(s == "Reader.one") for s in symbols])
    mass = neighbour_columns(graph, chances)[:, GRAPH_SIGNALS.index("chunk_class_mass")]
    assert mass[symbols.index("Reader.two")] == 1.0
    assert mass[symbols.index("Reader.one")] == 0.0


def test_a_name_that_many_chunks_have_makes_no_edge() -> None:
    many = {f"m{i}.py": _function("parse_line") for i in range(9)} | {"a.py": _function("read_all", "parse_line")}
    assert len(chunk_graph(analyses_of(many)).sources) == 0
    few = {f"m{i}.py": _function("parse_line") for i in range(4)} | {"a.py": _function("read_all", "parse_line")}
    graph = chunk_graph(analyses_of(few))
    asking = graph.files["a.py"].start
    assert graph.shares[graph.sources == asking].tolist() == pytest.approx([0.25] * 4)


def test_no_files_and_files_without_chunks_make_an_empty_graph() -> None:
    empty: ChunkGraph = chunk_graph(analyses_of({"empty.py": ""}))
    assert neighbour_columns(empty, np.zeros(0)).shape == (0, len(GRAPH_SIGNALS))
    assert neighbour_columns(chunk_graph({}), np.zeros(0)).shape == (0, len(GRAPH_SIGNALS))
