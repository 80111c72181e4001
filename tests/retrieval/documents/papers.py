"""Documents that tests make on the spot, and what every reading of a document keeps."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import pairwise

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from iterative_retrieval.retrieval.documents import read_document
from iterative_retrieval.retrieval.documents.splitting import MAX_CHUNK
from iterative_retrieval.state.documents import DocumentChunk

SENTENCES = (
    "The client retries a failed request. Every retry waits longer than the one before. "
    "After the last retry the error reaches the caller. "
)


def prose(characters: int) -> str:
    """Sentences of about this length, in one line."""
    return (SENTENCES * (characters // len(SENTENCES) + 1))[:characters].rstrip() + "."


def read(name: str, text: str) -> list[DocumentChunk]:
    return read_document(name, text.encode())


def headings(chunks: Sequence[DocumentChunk]) -> list[tuple[str, ...]]:
    return [chunk.heading for chunk in chunks]


def check_chunks(chunks: Sequence[DocumentChunk], text: str) -> None:
    """What holds for every document of lines: real lines, in order, bounded, numbered."""
    lines = text.split("\n")
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert 1 <= chunk.first <= chunk.last <= len(lines)
        assert chunk.text.strip()
        assert len(chunk.text) <= MAX_CHUNK
        assert chunk.text in "\n".join(lines[chunk.first - 1 : chunk.last])
    for before, after in pairwise(chunks):
        assert before.first <= after.first
        assert before.last <= after.last


def uncovered(chunks: Sequence[DocumentChunk], text: str) -> list[str]:
    """Lines with words that no chunk holds, in its lines or, for headings (of several lines, too), in its path."""
    covered = {number for chunk in chunks for number in range(chunk.first, chunk.last + 1)}
    titles = " ".join({"".join(filter(str.isalnum, title)) for chunk in chunks for title in chunk.heading})
    return [
        line
        for number, line in enumerate(text.split("\n"), 1)
        if number not in covered and (words := "".join(filter(str.isalnum, line))) and words not in titles
    ]


def pdf(
    pages: Sequence[str],
    *,
    outline: Sequence[tuple[str, int]] = (),
    title: str = "",
    password: str | None = None,
    owner: str | None = None,
) -> bytes:
    """A PDF with one string of lines a page; outline: title and page (from 0)."""
    writer = PdfWriter()
    for page_text in pages:
        page = writer.add_blank_page(612, 792)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        content = DecodedStreamObject()
        shown = "".join(f"({line}) Tj 0 -14 Td\n" for line in page_text.split("\n"))
        content.set_data(f"BT /F1 12 Tf 72 720 Td\n{shown}ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(content)
    for name, number in outline:
        writer.add_outline_item(title=name, page_number=number)
    if title:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, owner, algorithm="RC4-128")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()
