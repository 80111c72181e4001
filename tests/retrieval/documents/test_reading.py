"""From bytes to chunks: encodings, limits, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.documents import MAX_BYTES, Format, format_of, read_document
from iterative_retrieval.state.documents import SkipReason
from iterative_retrieval.state.errors import DocumentSkipped

from .papers import check_chunks, prose, read, uncovered

TEXT = "# Größe\n\nDer Client prüft die Größe für jeden Versuch. Übrige Anfragen müssen warten, bis er antwortet.\n"

PIECES = st.sampled_from(
    [
        *("# One", "## Two", "### Three", "###### Six", "Setext\n======", "Lower\n------", "", "   ", "Plain words."),
        *("* item\n  more\n* item", "1. step\n\n   deep\n", "```py\n# code\n```", "~~~\nopen fence", "> quote\n> # in"),
        *("| a | b |\n|---|---|\n| 1 | 2 |", "<h2>HTML</h2>", "<div>\n\n# in div", "[ref]: http://x.y", "    indented"),
        *(
            prose(130),
            prose(700),
            prose(2_000),
            "---",
            "===",
            "#",
            "## [link](http://a.b)",
            "\x0b\x0c",
            "客户端重试。" * 400,
        ),
        *(
            "Title\n~~~~~",
            "====\nOver\n====",
            ".. code-block:: c\n\n   int x;\n",
            "Example::\n\n  # lit\n",
            ":field: value",
        ),
    ]
)


@settings(deadline=None)
@given(
    st.lists(PIECES, min_size=1, max_size=12), st.sampled_from(["\n", "\n\n"]), st.sampled_from(["md", "rst", "txt"])
)
def test_no_line_of_a_document_is_lost(pieces: list[str], gap: str, extension: str) -> None:
    text = gap.join(pieces)
    if not text.strip():
        return
    chunks = read(f"a.{extension}", text)
    check_chunks(chunks, text)
    assert uncovered(chunks, text) == []


@settings(deadline=None)
@given(st.text(max_size=400), st.sampled_from(["md", "rst", "txt", "html", "py", "ipynb", "bsl", "odd"]))
def test_any_text_is_read_or_refused_with_a_reason(text: str, extension: str) -> None:
    try:
        chunks = read_document(f"a.{extension}", text.encode())
    except DocumentSkipped as skipped:
        assert skipped.reason in set(SkipReason)
        assert skipped.detail
    else:
        assert chunks
        assert all(chunk.text.strip() for chunk in chunks)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252"])
def test_every_usual_encoding_is_read(encoding: str) -> None:
    (chunk,) = read_document("a.md", TEXT.encode(encoding))
    assert chunk.heading == ("Größe",)
    assert "prüft die Größe für jeden" in chunk.text
    assert chunk.language == "de"


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_count_as_lines(end: str) -> None:
    (chunk,) = read_document("a.md", TEXT.replace("\n", end).encode())
    assert (chunk.first, chunk.last) == (3, 3)
    assert "\r" not in chunk.text


def test_whole_paragraphs_in_one_line_are_no_reason_to_refuse() -> None:
    text = f"# A\n\n{prose(9_000)}\n"
    chunks = read("a.md", text)
    check_chunks(chunks, text)
    assert uncovered(chunks, text) == []


@pytest.mark.parametrize(
    ("name", "data", "reason", "words"),
    [
        ("a.md", b"", SkipReason.UNREADABLE, "empty"),
        ("a.html", b"\xef\xbb\xbf", SkipReason.UNREADABLE, "empty"),
        ("a.md", b" \n\n\t\n", SkipReason.UNREADABLE, "no text"),
        ("a.md", bytes(range(256)) * 20, SkipReason.BINARY, "no text"),
        ("a.dat", b"\x7fELF\x00\x01\x02" * 100, SkipReason.BINARY, "no text"),
        ("notes.docx", b"PK\x03\x04", SkipReason.UNSUPPORTED, ".docx"),
        ("deploy/id_rsa", b"text", SkipReason.SECRET, "keys or passwords"),
        (".env", b"TOKEN=1", SkipReason.SECRET, "keys or passwords"),
        ("a.txt", b"x" * (MAX_BYTES + 1), SkipReason.TOO_LARGE, "20,000,000"),
    ],
)
def test_what_cannot_be_taken_in_is_named_with_its_reason(
    name: str, data: bytes, reason: SkipReason, words: str
) -> None:
    with pytest.raises(DocumentSkipped, match=words) as caught:
        read_document(name, data)
    assert caught.value.document == name
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("README", Format.TEXT),
        ("docs/a.MD", Format.MARKDOWN),
        ("https://example.org/a/guide.html?version=2.pdf#top", Format.HTML),
        ("a.bsl", Format.SOURCE),
        ("a.json", None),
        ("LICENSE", Format.TEXT),
        ("photo.png", None),
    ],
)
def test_the_name_tells_the_format(name: str, format: Format | None) -> None:
    assert format_of(name) == format


def test_a_page_without_an_extension_is_recognised() -> None:
    (chunk,) = read("https://example.org/guide", f"<!DOCTYPE html><h1>Guide</h1><p>{prose(300)}</p>")
    assert chunk.heading == ("Guide",)
    assert chunk.document == "https://example.org/guide"


def test_a_file_of_unknown_kind_is_read_as_plain_text() -> None:
    (chunk,) = read("notes.odd", "Title\n=====\n\nwords")
    assert (chunk.heading, chunk.text) == (("Title",), "words")
