"""Sections: what joins what, and under which heading path."""

from __future__ import annotations

from iterative_retrieval.retrieval.documents.sections import JOINED, TINY

from .papers import headings, prose, read, uncovered

LONG = prose(JOINED)


def test_a_tiny_introduction_joins_its_first_small_section() -> None:
    words = " ".join(["word"] * (TINY // 5 + 1))
    text = f"# Tool\n\nDoes things.\n\n## Install\n\n{words}\n\n## Use\n\n{LONG}\n"
    chunks = read("a.md", text)
    assert headings(chunks) == [("Tool",), ("Tool", "Use")]
    assert chunks[0].text == f"Does things.\n\n## Install\n\n{words}"


def test_tiny_siblings_join_under_their_parent() -> None:
    text = (
        f"# Terms\n\n{LONG}\n\n## Retry\n\nAnother try.\n\n## Limit\n\nThe most tries.\n\n## Pause\n\nTime between.\n"
    )
    chunks = read("a.md", text)
    assert headings(chunks) == [("Terms",), ("Terms",)]
    assert chunks[1].text.startswith("## Retry\n")
    assert chunks[1].text.endswith("## Pause\n\nTime between.")


def test_tiny_children_join_a_short_text_of_their_parent() -> None:
    text = f"# A\n\n{LONG}\n\n## B\n\n{prose(TINY + 20)}\n\n### C\n\nShort.\n\n## D\n\n{LONG}\n"
    chunks = read("a.md", text)
    assert headings(chunks) == [("A",), ("A", "B"), ("A", "D")]
    assert "### C\n\nShort." in chunks[1].text


def test_a_long_section_keeps_its_heading_to_itself() -> None:
    text = f"# A\n\nTiny.\n\n## B\n\n{LONG}\n\n## C\n\nTiny too.\n"
    assert headings(read("a.md", text)) == [("A",), ("A", "B"), ("A", "C")]


def test_sections_of_different_parents_do_not_join() -> None:
    text = f"# A\n\n{LONG}\n\n## B\n\n### C\n\nTiny.\n\n## D\n\n### E\n\nTiny too.\n"
    assert headings(read("a.md", text)) == [("A",), ("A", "B", "C"), ("A", "D", "E")]


def test_headings_without_text_live_in_the_paths_below_them() -> None:
    text = f"# A\n\n## B\n\n### C\n\n{LONG}\n"
    (chunk,) = read("a.md", text)
    assert chunk.heading == ("A", "B", "C")
    assert chunk.text == LONG


def test_a_heading_with_nothing_below_it_is_not_lost() -> None:
    text = f"# A\n\n{LONG}\n\n## Deprecated\n"
    chunks = read("a.md", text)
    assert "Deprecated" in chunks[-1].text
    assert read("a.md", "# Only a title\n")[0].text == "# Only a title"


def test_thousands_of_bare_headings_are_kept() -> None:
    text = "\n".join(f"# Heading {number}" for number in range(3_000))
    chunks = read("a.md", text)
    assert uncovered(chunks, text) == []
    assert len(chunks) < 200


def test_a_document_without_headings_has_no_path() -> None:
    assert headings(read("a.md", LONG)) == [()]


def test_several_top_headings_give_no_document_title() -> None:
    assert headings(read("a.md", f"{LONG}\n\n# A\n\n{LONG}\n\n# B\n\n{LONG}\n")) == [(), ("A",), ("B",)]


def test_text_above_the_only_top_heading_belongs_to_the_document() -> None:
    assert headings(read("a.md", f"{LONG}\n\n# A\n\n{LONG}\n\n## B\n\n{LONG}\n")) == [("A",), ("A",), ("A", "B")]


def test_a_tiny_section_with_a_full_sentence_keeps_its_heading() -> None:
    hotels = "## Hotels\n\nHotels may cost 120 EUR per night."
    text = f"# Travel policy\n\nIt holds.\n\n{hotels}\n\n## Trains\n\nSecond class.\n"
    chunks = read("a.md", text)
    assert headings(chunks) == [("Travel policy",), ("Travel policy", "Hotels"), ("Travel policy", "Trains")]
    assert chunks[1].text == "Hotels may cost 120 EUR per night."


def test_short_chinese_sections_with_a_sentence_stand_alone() -> None:
    chunks = read("a.md", "# 规定\n\n## 酒店\n\n酒店每晚最多一百二十欧元。\n\n## 火车\n\n火车只能乘坐二等车厢。\n")
    assert headings(chunks) == [("规定", "酒店"), ("规定", "火车")]
