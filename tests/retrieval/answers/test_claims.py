"""Claims of an answer, and the answer without some of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.answers.claims import (
    claims,
    numbers_in,
    odd_references,
    references,
    rewrite_marks,
    without,
    without_odd_references,
)


@pytest.mark.parametrize(
    ("answer", "drop", "left"),
    [
        ("One is so. Two is so. [1]", {1}, "One is so. [1]"),
        ("One is so. Two is so. [1]", {0}, "Two is so. [1]"),
        ("One is so. Two is so. Three is so. [1, 2]", {1, 2}, "One is so. [1][2]"),
        ("One is so. Two is so. Three is so. [1]", {1}, "One is so. Three is so. [1]"),
        ("One is so. Two is so. [1] Three is so. [2]", {1}, "One is so. [1] Three is so. [2]"),
        ("One is so. Two is so. [1]x", {1, 2}, "One is so. [1]"),
        ("One is so. [1]x", {1}, "One is so. [1]"),
        ("One is so. [1] Two is so. [2]", {1}, "One is so. [1]"),
        ("One is so.\nTwo is so.\nThree is so. [1]", {1}, "One is so.\nThree is so. [1]"),
        ("- One is so.\n- Two is so. [1]\n\nThree is so. [2]", {1}, "- One is so. [1]\n\nThree is so. [2]"),
        ("- One is so. [1]\n- Two is so. [1]\n- Three is so. [1]", {1}, "- One is so. [1]\n- Three is so. [1]"),
        ("One is so.\n\nTwo is so. [1]", {1}, "One is so."),  # another paragraph shares nothing
        ("Set it: [1]\n```\na  =  1\n```\nTwo is so. [2]", {2}, "Set it: [1]\n```\na  =  1\n```"),
        ("Set it: [1]\n```\na  =  1\n```", {0}, "```\na  =  1\n```\n[1]"),
        ("默认是三十秒。鱼很好吃。[1]", {1}, "默认是三十秒。 [1]"),
        ("One is so. [1]", {0}, ""),
        ("One is so. [1]", set(), "One is so. [1]"),
    ],
)
def test_marks_of_a_run_move_to_its_last_surviving_sentence(answer: str, drop: set[int], left: str) -> None:
    assert without(answer, "", drop) == left


@given(st.lists(st.sampled_from(["", "[1]", "[2]", "[1][3]"]), min_size=1, max_size=8), st.data())
def test_what_stays_keeps_its_words_and_its_numbers(marks: list[str], data: st.DataObject) -> None:
    answer = " ".join(f"Word{i} is so. {mark}" for i, mark in enumerate(marks))
    drop = data.draw(st.sets(st.integers(0, len(marks) - 1)))
    before = [c for i, c in enumerate(claims(answer)) if i not in drop]
    assert claims(without(answer, "", drop)) == before


def test_marks_that_touch_are_rewritten_as_one() -> None:
    assert rewrite_marks("It is so [1][2] [2].", lambda numbers: f" {numbers}") == "It is so [1, 2]."


def test_odd_references_are_taken_out_and_code_keeps_them() -> None:
    answer = "One. [doc-99] Two. [?] `x[?]`"
    assert odd_references(answer) == ["[doc-99]", "[?]"]
    assert without_odd_references(answer) == "One.  Two.  `x[?]`"


def test_numbers_of_a_mark_are_lists_and_ranges() -> None:
    assert numbers_in("1, 3") == [1, 3]
    assert numbers_in("2-4; 7") == [2, 3, 4, 7]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "It is so. [1] " * 3000,
        " " * 200_000,
        "[1](" * 50_000,
        "` `` ``` " * 20_000,
        "[doc " + "." * 200_000,
        "[1,\n" * 50_000,
    ],
)
def test_long_and_hostile_texts_are_read_in_one_go(text: str) -> None:
    assert set(references(text)) <= {1}
    assert odd_references(text) == []
    assert rewrite_marks(text, lambda numbers: "[1]" * len(numbers)).count("[1]") <= text.count("[1]")


@pytest.mark.timeout(20)
def test_a_thousand_sentences_are_left_out_at_once() -> None:
    assert without("It is so. [1] " * 2000, "en", range(1, 2000)) == "It is so. [1]"
