"""Markdown: what is a heading, what belongs together, and where the lines are."""

from __future__ import annotations

import pytest

from .papers import check_chunks, headings, prose, read, uncovered

LONG = prose(500)


def test_sections_carry_their_heading_path_and_real_lines() -> None:
    text = f"# Guide\n\n{LONG}\n\n## Install\n\n{LONG}\n\n### On Windows\n\n{LONG}\n\n## Use\n\n{LONG}\n"
    chunks = read("guide.md", text)
    assert [(chunk.heading, chunk.first, chunk.last) for chunk in chunks] == [
        (("Guide",), 3, 3),
        (("Guide", "Install"), 7, 7),
        (("Guide", "Install", "On Windows"), 11, 11),
        (("Guide", "Use"), 15, 15),
    ]
    assert all(chunk.text == LONG for chunk in chunks)
    check_chunks(chunks, text)


def test_setext_headings_count() -> None:
    chunks = read("a.md", f"Guide\n=====\n\n{LONG}\n\nInstall\n-------\n{LONG}\n")
    assert headings(chunks) == [("Guide",), ("Guide", "Install")]
    assert [chunk.first for chunk in chunks] == [4, 8]


def test_a_heading_inside_a_fence_is_code() -> None:
    text = f"# Guide\n\n{LONG}\n\n```sh\n# not a heading\nmake\n```\n\n~~~\n## nor this\n~~~\n"
    (chunk,) = read("a.md", text)
    assert chunk.heading == ("Guide",)
    assert "# not a heading" in chunk.text
    assert "## nor this" in chunk.text


def test_headings_in_quotes_and_lists_belong_to_the_text_around_them() -> None:
    (chunk,) = read("a.md", f"# Guide\n\n{LONG}\n\n> # Quoted\n> text\n\n- # Listed\n")
    assert chunk.heading == ("Guide",)
    assert "# Listed" in chunk.text


def test_deep_headings_nest() -> None:
    text = "\n\n".join(f"{'#' * level} L{level}\n\n{LONG}" for level in range(1, 7))
    assert headings(read("a.md", text))[-1] == ("L1", "L2", "L3", "L4", "L5", "L6")


def test_a_skipped_level_nests_below_what_is_there() -> None:
    chunks = read("a.md", f"# A\n\n{LONG}\n\n#### D\n\n{LONG}\n\n## B\n\n{LONG}\n")
    assert headings(chunks) == [("A",), ("A", "D"), ("A", "B")]


def test_duplicate_headings_stay_apart() -> None:
    chunks = read("a.md", f"# A\n\n## Example\n\nfirst {LONG}\n\n## Example\n\nsecond {LONG}\n")
    assert headings(chunks) == [("A", "Example"), ("A", "Example")]
    assert [chunk.text[:5] for chunk in chunks] == ["first", "secon"]
    assert len({chunk.key for chunk in chunks}) == 2


def test_front_matter_gives_the_title_and_stays_searchable() -> None:
    text = f'---\ntitle: "The Guide"\ndescription: All about retries\n---\n\n# Install\n\n{LONG}\n\n# Use\n\n{LONG}\n'
    chunks = read("a.md", text)
    assert headings(chunks) == [("The Guide",), ("The Guide", "Install"), ("The Guide", "Use")]
    assert "All about retries" in chunks[0].text
    assert uncovered(chunks, text) == []


def test_a_title_said_twice_stands_once_in_the_path() -> None:
    chunks = read("a.md", f"---\ntitle: Guide\n---\n# Guide\n\n{LONG}\n")
    assert headings(chunks)[-1] == ("Guide",)


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    (chunk,) = read("a.md", f"---\n\n{LONG}\n\n---\n")
    assert chunk.heading == ()
    assert LONG in chunk.text


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## `retry()` and *more*", "retry() and more"),
        ("## Use [the client](#client) ##", "Use the client"),
        ("## Options {#options}", "Options"),
        ("## A &amp; B", "A & B"),
        ("## Größe und 超时", "Größe und 超时"),
    ],
)
def test_titles_are_free_of_markup(line: str, title: str) -> None:
    chunks = read("a.md", f"# Guide\n\n{line}\n\n{LONG}\n")
    assert chunks[-1].heading == ("Guide", title)
    assert chunks[-1].text == LONG


def test_a_heading_that_leads_elsewhere_keeps_its_line() -> None:
    (chunk,) = read("a.md", f"# [Guide](https://example.org/guide)\n\n{LONG}\n")
    assert chunk.heading == ("Guide",)
    assert "https://example.org/guide" in chunk.text


def test_html_headings_of_a_readme_count() -> None:
    text = f'<p align="center">\n<h1 align="center">My <b>Tool</b></h1>\n</p>\n\n{LONG}\n\n## Use\n\n{LONG}\n'
    chunks = read("README.md", text)
    assert chunks[-1].heading == ("My Tool", "Use")
    assert uncovered(chunks, text) == []


def test_a_table_stays_in_one_piece() -> None:
    rows = "\n".join(f"| option_{number} | what it does, number {number} |" for number in range(25))
    table = f"| name | meaning |\n|---|---|\n{rows}"
    text = f"# Options\n\n{prose(900)}\n\n{table}\n\n{prose(600)}\n"
    chunks = read("a.md", text)
    assert sum(table in chunk.text for chunk in chunks) == 1
    check_chunks(chunks, text)


def test_a_fence_is_cut_only_when_it_alone_is_too_long() -> None:
    code = "\n".join(f"call_number({number})" for number in range(70))
    text = f"# A\n\n{prose(1200)}\n\n```python\n{code}\n```\n\n{prose(1200)}\n"
    assert sum(code in chunk.text for chunk in read("a.md", text)) == 1
    endless = "\n".join(f"call_number({number})" for number in range(400))
    text = f"# A\n\n{prose(1200)}\n\n```python\n{endless}\n```\n\n{prose(1200)}\n"
    chunks = read("a.md", text)
    check_chunks(chunks, text)
    assert uncovered(chunks, text) == []
    assert all(line in chunk.text for chunk in chunks if chunk.kind == "code" for line in chunk.text.split("\n"))
    assert {chunk.kind for chunk in chunks} == {"prose", "code"}


def test_a_long_list_is_cut_between_its_items() -> None:
    items = [f"* Item {number}: {prose(200)}\n  It goes on in a second line." for number in range(20)]
    text = "# List\n\n" + "\n".join(items)
    chunks = read("a.md", text)
    assert len(chunks) > 2
    assert all(any(item in chunk.text for chunk in chunks) for item in items)
    check_chunks(chunks, text)


def test_deeply_nested_quotes_lose_nothing() -> None:
    text = f"# A\n\n{'>' * 500} deep inside\n\n{LONG}\n"
    chunks = read("a.md", text)
    assert any("deep inside" in chunk.text for chunk in chunks)
    assert uncovered(chunks, text) == []
