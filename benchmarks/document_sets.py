"""The two documentation sets as collections: their documents, questions and gold chunks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iterative_retrieval.state.documents import DocumentChunk

from .predictions import BenchmarkError


@dataclass(frozen=True)
class PreparedDocument:
    """A document whose chunks are given; the set's authors cut it."""

    document: str
    pieces: Sequence[DocumentChunk]

    @property
    def sha256(self) -> str:
        """Hash of the chunks."""
        text = "\0".join("\0".join([*c.heading, c.text]) for c in self.pieces)
        return hashlib.sha256(text.encode()).hexdigest()

    def chunks(self) -> Sequence[DocumentChunk]:
        """The chunks as given."""
        return self.pieces


@dataclass(frozen=True)
class DocQuestion:
    """A question, the keys of the chunks that answer it, and the reference answer."""

    id: str
    text: str
    gold: list[str]
    answer: str


@dataclass(frozen=True)
class DocumentSet:
    """Documents and questions. name: of the set, as in the results."""

    name: str
    documents: Sequence[PreparedDocument]
    questions: Sequence[DocQuestion]


def read_sets(folder: Path) -> list[DocumentSet]:
    """``anthropic_docs.json`` and ``code_chunks.json`` of a folder.

    Raises:
        BenchmarkError: a file is missing or of another form.
    """
    return [_anthropic_docs(_read(folder / "anthropic_docs.json")), _code_chunks(_read(folder / "code_chunks.json"))]


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"cannot read {path}: {error}; --data names the folder that holds it") from error
    if not isinstance(data, dict) or "questions" not in data:
        raise BenchmarkError(f"{path} is no question set: it has no 'questions'")
    return data


def _anthropic_docs(data: dict[str, Any]) -> DocumentSet:
    """Chunks are sections of web pages; a chunk's id is its page's address and its anchor."""
    pieces: dict[str, list[DocumentChunk]] = {}
    keys: dict[str, str] = {}
    for row in data["chunks"]:
        document = row["id"].partition("#")[0]
        chunk = _chunk(pieces, document, (row["heading"],) if row["heading"] else (), row["text"], "prose")
        keys[row["id"]] = chunk.key
    questions = [
        DocQuestion(q["id"], q["question"], [keys[g] for g in dict.fromkeys(q["gold_chunks"])], q["answer"])
        for q in data["questions"]
    ]
    return DocumentSet("anthropic_docs", _documents(pieces), questions)


def _code_chunks(data: dict[str, Any]) -> DocumentSet:
    """Chunks of source files whose names are not known."""
    pieces: dict[str, list[DocumentChunk]] = {}
    keys: dict[tuple[str, int], str] = {}
    for document in data["documents"]:
        for row in document["chunks"]:
            chunk = _chunk(pieces, document["id"], (), row["text"], "code")
            keys[document["id"], row["index"]] = chunk.key
    questions = [
        DocQuestion(
            str(i), q["query"], [keys[d, n] for d, n in dict.fromkeys(map(tuple, q["gold_chunks"]))], q["answer"]
        )
        for i, q in enumerate(data["questions"])
    ]
    return DocumentSet("code_chunks", _documents(pieces), questions)


def _chunk(
    pieces: dict[str, list[DocumentChunk]], document: str, heading: tuple[str, ...], text: str, kind: str
) -> DocumentChunk:
    held = pieces.setdefault(document, [])
    first = held[-1].last + 1 if held else 1
    chunk = DocumentChunk(document, len(held), heading, first, first + text.count("\n"), text, "en", kind)
    held.append(chunk)
    return chunk


def _documents(pieces: dict[str, list[DocumentChunk]]) -> list[PreparedDocument]:
    return [PreparedDocument(name, chunks) for name, chunks in pieces.items()]
