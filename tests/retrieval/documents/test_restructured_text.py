"""reStructuredText: levels by order of adornment, directives, literal blocks, field lists."""

from __future__ import annotations

from .papers import check_chunks, headings, prose, read, uncovered

LONG = prose(500)


def test_levels_follow_the_order_of_their_adornments() -> None:
    text = (
        f"=====\nGuide\n=====\n\n{LONG}\n\nInstall\n~~~~~~~\n\n{LONG}\n\nWindows\n^^^^^^^\n\n{LONG}\n\n"
        f"Use\n~~~\n\n{LONG}\n"
    )
    chunks = read("a.rst", text)
    assert headings(chunks) == [
        ("Guide",),
        ("Guide", "Install"),
        ("Guide", "Install", "Windows"),
        ("Guide", "Use"),
    ]
    assert [chunk.first for chunk in chunks] == [5, 10, 15, 20]
    check_chunks(chunks, text)


def test_overlined_and_underlined_titles_are_different_levels() -> None:
    text = f"===\nOne\n===\n\n{LONG}\n\nTwo\n===\n\n{LONG}\n"
    assert headings(read("a.rst", text)) == [("One",), ("One", "Two")]


def test_titles_inside_literal_blocks_are_text() -> None:
    text = (
        f"Guide\n=====\n\n{LONG} Example::\n\n    Not a title\n    ===========\n\n    text\n\n"
        ".. code-block:: rst\n\n   Nor\n   ===\n"
    )
    (chunk,) = read("a.rst", text)
    assert chunk.heading == ("Guide",)
    assert uncovered([chunk], text) == []


def test_a_code_block_stays_in_one_piece() -> None:
    code = "\n".join(f"   call_number({number})\n" for number in range(40))
    text = f"A\n=\n\nGuide\n=====\n\n{prose(1300)}\n\n.. code-block:: python\n\n{code}\n{prose(1300)}\n"
    chunks = read("a.rst", text)
    assert sum(code.rstrip() in chunk.text for chunk in chunks) == 1
    check_chunks(chunks, text)


def test_tables_rules_and_field_lists_are_no_titles() -> None:
    text = (
        f"Guide\n=====\n\n:author: me\n:version: 2\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n\n"
        f"+---+---+\n| a | b |\n+---+---+\n\n----\n\n{LONG}\n"
    )
    chunks = read("a.rst", text)
    assert set(headings(chunks)) == {("Guide",)}
    assert uncovered(chunks, text) == []


def test_a_title_may_follow_its_label() -> None:
    title = "Install ``it`` with :ref:`pip <pip>`"
    text = f"Guide\n=====\n\n{LONG}\n\n.. _install:\n\n{title}\n{'-' * len(title)}\n\n{LONG}\n"
    assert headings(read("a.rst", text)) == [("Guide",), ("Guide", "Install it with pip")]


def test_text_that_ends_in_dashes_is_no_title() -> None:
    text = f"Guide\n=====\n\nfirst line\nsecond line\n-----------\n\n{LONG}\n"
    chunks = read("a.rst", text)
    assert headings(chunks) == [("Guide",)]
    assert "second line" in chunks[0].text


def test_a_directive_keeps_its_text() -> None:
    text = f"Guide\n=====\n\n{LONG}\n\n.. warning::\n\n   Retries cost money.\n\n.. versionadded:: 2.0\n   The option."
    (chunk,) = read("a.rst", text)
    assert "Retries cost money." in chunk.text
    assert chunk.last == len(text.split("\n"))
