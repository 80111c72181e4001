from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.packing import FILE_OVERHEAD, PackFile, chunk_costs, pack, text_of
from iterative_retrieval.retrieval.tokens import count_tokens
from iterative_retrieval.state.package import Span
from iterative_retrieval.state.source import Chunk


def file(path: str, chances: list[float], costs: list[int], lines: list[int] | None = None, p: float = 0.5) -> PackFile:
    lengths = lines or [10] * len(costs)
    ends = np.cumsum(lengths).tolist()
    chunks = [Chunk(e - n + 1, e, f"f{i}") for i, (n, e) in enumerate(zip(lengths, ends, strict=True))]
    return PackFile(path, p, chunks, np.array(chances, dtype=np.float32), costs)


@st.composite
def files(draw: st.DrawFn) -> list[PackFile]:
    some = []
    for i in range(draw(st.integers(0, 5))):
        n = draw(st.integers(0, 6))
        lines = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
        costs = draw(st.lists(st.integers(0, 120), min_size=n, max_size=n))
        weights = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
        chances = [w / sum(weights) for w in weights]
        some.append(file(f"f{i}.py", chances, costs, lines, draw(st.floats(0.01, 1.0))))
    return some


@settings(max_examples=80, deadline=None)
@given(files(), st.integers(0, 700))
def test_a_package_never_exceeds_its_budget(some: list[PackFile], budget: int) -> None:
    packed = pack(some, budget)
    shown = {f.path: {n for s in packed.spans.get(f.path, []) for n in range(s.first, s.last + 1)} for f in some}
    whole = [c for f in some for c in zip(f.chunks, f.costs, strict=True) if f.path in packed.spans
             and set(range(c[0].first, c[0].last + 1)) <= shown[f.path]]  # fmt: skip
    assert packed.tokens <= budget
    if sum(len(s) for s in packed.spans.values()) > 1:
        assert packed.tokens == FILE_OVERHEAD * len(packed.spans) + sum(cost for _, cost in whole)


@settings(max_examples=80, deadline=None)
@given(files(), st.integers(0, 700))
def test_spans_are_inside_the_file_in_order_and_disjoint(some: list[PackFile], budget: int) -> None:
    packed = pack(some, budget)
    by_path = {f.path: f for f in some}
    for path, spans in packed.spans.items():
        lines = [line for s in spans for line in (s.first, s.last)]
        assert lines == sorted(lines)
        assert lines[0] >= 1 and lines[-1] <= by_path[path].chunks[-1].last
        assert all(later.first > earlier.last for earlier, later in pairwise(spans))


@settings(max_examples=80, deadline=None)
@given(files())
def test_every_file_is_opened_when_the_budget_allows(some: list[PackFile]) -> None:
    opened = [f for f in some if f.chunks]
    fair = max([min(f.costs) for f in opened], default=0)
    budget = 2 * len(some) * max(fair, FILE_OVERHEAD)
    assert list(pack(some, budget).spans) == [f.path for f in opened]


def test_the_likeliest_chunk_opens_a_file() -> None:
    assert pack([file("a", [0.2, 0.7, 0.1], [50, 50, 50])], 100).spans == {"a": [Span(first=11, last=20, symbol="f1")]}


def test_more_chunks_follow_by_chance_per_token() -> None:
    packed = pack([file("a", [0.5, 0.3, 0.2], [50, 100, 50]), file("b", [1.0], [50], p=0.1)], 80 + 150)
    assert packed.spans["a"] == [Span(first=1, last=10, symbol="f0"), Span(first=21, last=30, symbol="f2")]
    assert packed.tokens == 230


def test_neighbouring_chunks_become_one_span() -> None:
    packed = pack([file("a", [0.5, 0.4, 0.1], [10, 10, 500])], 100)
    assert packed.spans == {"a": [Span(first=1, last=20, symbol="")]}


def test_a_short_but_costly_chunk_between_two_spans_is_not_smuggled_in() -> None:
    packed = pack([file("a", [0.5, 0.1, 0.4], [10, 5_000, 10], lines=[3, 1, 3])], 100)
    assert packed.spans["a"] == [Span(first=1, last=3, symbol="f0"), Span(first=5, last=7, symbol="f2")]


def test_the_head_of_a_chunk_that_is_too_long_is_packed() -> None:
    packed = pack([file("a", [1.0], [1000], lines=[100])], 140)
    assert packed.spans == {"a": [Span(first=1, last=10, symbol="f0")]}
    assert packed.tokens == 140


def test_a_budget_without_room_for_a_line_packs_nothing() -> None:
    assert pack([file("a", [1.0], [1000], lines=[2])], 60).spans == {}
    assert pack([], 1000).spans == {}


def test_an_empty_file_is_not_named() -> None:
    assert pack([file("empty", [], [])], 500).spans == {}
    assert list(pack([file("empty", [], []), file("a", [1.0], [10])], 500).spans) == ["a"]


def test_a_chunk_costs_the_tokens_of_its_lines() -> None:
    text = "a = 1\nb = 2\nc = 3"
    assert chunk_costs(text, [Chunk(1, 2, ""), Chunk(3, 3, "")]) == [
        count_tokens("a = 1\nb = 2"),
        count_tokens("c = 3"),
    ]


def test_spans_are_cut_out_of_the_text() -> None:
    spans = {"a": [Span(first=1, last=1), Span(first=3, last=4)]}
    assert text_of(spans, {"a": "1\n2\n3\n4\n5"}) == {"a": ["1", "3\n4"]}
