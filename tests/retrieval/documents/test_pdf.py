"""PDF: pages, outlines, and the many ways in which there is nothing to read."""

from __future__ import annotations

import sys

import pytest

from iterative_retrieval.retrieval.documents import read_document
from iterative_retrieval.state.documents import SkipReason
from iterative_retrieval.state.errors import DocumentSkipped

from .papers import headings, pdf

PAGE = "\n".join(f"This line number {number} of the page speaks of retries and time limits." for number in range(8))


def reason_of(data: bytes) -> DocumentSkipped:
    with pytest.raises(DocumentSkipped) as caught:
        read_document("a.pdf", data)
    return caught.value


def test_every_page_is_a_section() -> None:
    chunks = read_document("a.pdf", pdf([PAGE, PAGE, PAGE]))
    assert headings(chunks) == [("page 1",), ("page 2",), ("page 3",)]
    assert all(chunk.text == PAGE for chunk in chunks)
    assert [chunk.first for chunk in chunks] == [1, 10, 19]


def test_the_outline_stands_above_the_pages() -> None:
    pages = [f"1 Introduction\n{PAGE}", PAGE, f"{PAGE}\nConfiguration\n{PAGE}"]
    data = pdf(pages, outline=[("Introduction", 0), ("Configuration", 2)], title="The Guide")
    chunks = read_document("a.pdf", data)
    assert headings(chunks) == [
        ("The Guide", "1 Introduction", "page 1"),
        ("The Guide", "1 Introduction", "page 2"),
        ("The Guide", "1 Introduction", "page 3"),
        ("The Guide", "Configuration", "page 3"),
    ]


def test_a_chapter_whose_title_is_not_found_begins_its_page() -> None:
    chunks = read_document("a.pdf", pdf([PAGE, PAGE], outline=[("Elsewhere", 1)]))
    assert headings(chunks) == [("page 1",), ("Elsewhere", "page 2")]


def test_a_running_head_does_not_stand_alone() -> None:
    chunks = read_document("a.pdf", pdf([PAGE, f"7\nChapter Two\n{PAGE}"], outline=[("Chapter Two", 1)]))
    assert headings(chunks) == [("page 1",), ("Chapter Two", "page 2")]
    assert chunks[1].text.startswith("7\nChapter Two")


def test_the_name_of_another_file_is_no_title() -> None:
    assert headings(read_document("a.pdf", pdf([PAGE], title="Microsoft Word - draft3.doc"))) == [("page 1",)]


def test_the_same_file_gives_the_same_chunks() -> None:
    data = pdf([PAGE, PAGE], outline=[("A", 0)])
    assert read_document("a.pdf", data) == read_document("a.pdf", data)


def test_an_encrypted_pdf_is_named() -> None:
    skipped = reason_of(pdf([PAGE], password="open sesame"))
    assert skipped.reason == SkipReason.ENCRYPTED
    assert "password" in skipped.detail


def test_a_pdf_that_only_forbids_changes_is_read() -> None:
    assert len(read_document("a.pdf", pdf([PAGE], password="", owner="owner"))) == 1


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.4\n garbage \x00\xff" * 50, pdf([PAGE])[:300]])
def test_a_damaged_pdf_is_unreadable(data: bytes) -> None:
    assert reason_of(data).reason == SkipReason.UNREADABLE


def test_a_pdf_with_damaged_objects_is_read_or_named() -> None:
    whole = pdf([PAGE] * 3, outline=[("A", 0), ("B", 2)])
    outcomes: set[bool | str] = set()
    for at in range(20, len(whole) - 20, 37):
        damaged = whole[:at] + b"\x00<<[(" + whole[at + 5 :]
        try:
            outcomes.add(len(read_document("a.pdf", damaged)) > 0)
        except DocumentSkipped as skipped:
            outcomes.add(skipped.reason)
    assert outcomes <= {True, SkipReason.UNREADABLE, SkipReason.ENCRYPTED}
    assert True in outcomes


def test_a_pdf_of_images_is_unreadable_and_told_what_helps() -> None:
    skipped = reason_of(pdf(["", ""]))
    assert skipped.reason == SkipReason.UNREADABLE
    assert "OCR" in skipped.detail


def test_without_the_extra_the_install_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)  # Python's own way to say that a module cannot be imported
    skipped = reason_of(pdf([PAGE]))
    assert skipped.reason == SkipReason.MISSING_EXTRA
    assert "pip install 'iterative-retrieval[pdf]'" in skipped.detail


def test_a_pdf_is_recognised_by_its_content() -> None:
    assert headings(read_document("https://example.org/guide", pdf([PAGE]))) == [("page 1",)]
