from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from iterative_retrieval.serving.lines import LABEL_WIDTH, line, listing, plain, printable, printable_block, styled
from tests.serving.examples import NOT_UTF8


def test_an_escape_sequence_in_a_file_name_is_shown_not_obeyed() -> None:
    assert printable("a\x1b[31mred.py") == r"a\x1b[31mred.py"


def test_a_line_break_in_a_file_name_does_not_start_a_line() -> None:
    assert printable("one\ntwo.py") == "one two.py"


def test_a_name_that_is_not_utf8_can_be_written() -> None:
    assert printable(NOT_UTF8) == r"caf\udce9.py"


def test_letters_of_other_languages_stay_as_they_are() -> None:
    assert printable("проверка 检查 prüfen é") == "проверка 检查 prüfen é"


def test_reversed_writing_direction_cannot_disguise_a_name() -> None:
    assert "\u202e" not in printable("safe\u202egpj.exe")


@given(st.text(st.characters()))
def test_whatever_the_text_the_line_encodes_and_stays_one_line(text: str) -> None:
    shown = printable(text)
    assert len(shown.encode("utf-8").splitlines()) <= 1
    assert "\x1b" not in shown


@given(st.text(st.characters()))
def test_a_block_keeps_its_line_count(text: str) -> None:
    assert printable_block(text).count("\n") == text.count("\n")


def test_a_long_list_says_how_many_are_not_shown() -> None:
    assert listing(["a", "b", "c"], 2) == "a, b and 1 more"
    assert listing(["a", "b"], 2) == "a, b"


def test_labels_stand_in_a_column_of_their_own() -> None:
    assert plain(line("Add x", label="REFINE:", indent=2)) == "  REFINE:   Add x"


def test_terminal_and_pipe_say_the_same() -> None:
    rows = [line("Cycle 1:", style="bold"), line("Found a.py", label="EVALUATE:", indent=2), line("", indent=4)]
    screen = Console(file=io.StringIO(), width=80)
    for row in rows:
        screen.print(styled(row))
    assert isinstance(screen.file, io.StringIO)
    assert [text.rstrip() for text in screen.file.getvalue().splitlines()] == [plain(row) for row in rows]


def test_a_long_body_wraps_under_itself_on_a_terminal() -> None:
    screen = Console(file=io.StringIO(), width=30)
    screen.print(styled(line("word " * 10, label="EVALUATE:", indent=2)))
    assert isinstance(screen.file, io.StringIO)
    first, second, *_ = screen.file.getvalue().splitlines()
    assert first.startswith("  EVALUATE: word")
    assert second.startswith(" " * (2 + LABEL_WIDTH) + "word")
