"""Splitting: parts cover a section, are bounded, and repeat little."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.documents.layout import Block, Layout
from iterative_retrieval.retrieval.documents.markdown import read_markdown
from iterative_retrieval.retrieval.documents.splitting import MAX_CHUNK, OVERLAP, Splitter

from .papers import prose

PIECES = st.sampled_from(
    [
        *("", "word", prose(150), prose(900), prose(2500), "x" * 2000, "* item one\n* item two\n  more", "1. step"),
        *(
            "```\n" + "code line\n" * 30 + "```",
            "```\n" + "code line\n" * 400 + "```",
            "> quote\n> more",
            "    indented",
        ),
        *(
            "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 60,
            "客户端会自动重试。" * 300,
            "\t\ttabs \u00a0 \u2028 odd \x0c blanks",
        ),
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=8), st.sampled_from(["\n", "\n\n", "\n   \n"]))
def test_parts_cover_everything_in_order_with_bounded_overlap(pieces: list[str], gap: str) -> None:
    layout = read_markdown(gap.join(pieces))
    splitter = Splitter(layout)
    parts = list(splitter.parts(1, len(layout.lines)))
    reached = 0
    for begin, end in parts:
        assert 0 < end - begin <= MAX_CHUNK
        assert reached - begin <= OVERLAP
        assert not splitter.text[reached : max(reached, begin)].strip()
        assert end > reached
        reached = end
    assert not splitter.text[reached:].strip()
    assert all(before[0] < after[0] for before, after in pairwise(parts))


@settings(deadline=None)
@given(st.lists(PIECES, max_size=8))
def test_code_that_fits_is_never_cut(pieces: list[str]) -> None:
    layout = read_markdown("\n\n".join(pieces))
    splitter = Splitter(layout)
    parts = list(splitter.parts(1, len(layout.lines)))
    for block in layout.blocks:
        first, last = splitter.starts[block.first - 1], splitter.starts[block.last] - 1
        if block.code and splitter.text[first:last].strip() and last - first < MAX_CHUNK:
            assert any(begin <= first and last <= end for begin, end in parts)


def parts_of(text: str) -> list[str]:
    layout = read_markdown(text)
    splitter = Splitter(layout)
    return [splitter.text[begin:end] for begin, end in splitter.parts(1, len(layout.lines))]


def test_a_short_text_is_one_part() -> None:
    assert parts_of(prose(MAX_CHUNK - 10)) == [prose(MAX_CHUNK - 10)]


def test_a_part_begins_with_the_short_paragraph_before_it() -> None:
    first, bridge = f"{prose(700)} It goes on{' and on' * 30}.", f"The bridge leads{' from part to part' * 8}."
    second = prose(1_100)
    assert parts_of(f"{first}\n\n{bridge}\n\n{second}") == [f"{first}\n\n{bridge}", f"{bridge}\n\n{second}"]


def test_a_part_after_code_repeats_no_code() -> None:
    code = "```\n" + "call()\n" * 150 + "```"
    parts = parts_of(f"{code}\n\n{prose(1_200)}")
    assert parts == [code, prose(1_200)]


def test_paragraphs_are_preferred_to_sentences() -> None:
    parts = parts_of(f"{prose(1_000)}\n\n{prose(1_000)}\n\n{prose(1_000)}")
    assert all(part.endswith(prose(1_000)) for part in parts)


def test_indentation_of_the_first_line_is_kept() -> None:
    lines = [f"    call_number({number})" for number in range(200)]
    splitter = Splitter(Layout(lines, [], [Block(1, 200, code=True)]))
    parts = [splitter.text[begin:end] for begin, end in splitter.parts(1, 200)]
    assert len(parts) > 1
    assert "\n".join(parts) == "\n".join(lines)


def test_lines_of_offsets_are_those_of_the_text() -> None:
    splitter = Splitter(Layout(["ab", "", "c"], [], []))
    assert [splitter.line_of(offset) for offset in range(5)] == [1, 1, 1, 2, 3]
