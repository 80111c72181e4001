"""Documents to index, an embedder that is quick and always the same, and everything a collection says about itself."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from iterative_retrieval.state.document_ports import Collection, Embedder, Vectors
from iterative_retrieval.state.documents import DocumentChunk, IndexReport
from iterative_retrieval.state.errors import DocumentSkipped, EmbedderUnavailable
from iterative_retrieval.state.ports import Clause
from iterative_retrieval.stores.collections import SqlCollections

_WORDS = """
account archive balance batch border bucket cache cipher cluster column courier cursor daemon delta digest driver
engine expiry filter folder gateway header invoice kernel ledger matrix mirror packet parcel quota refund router
schema session shard signal socket stream table ticket token upload vector voucher window worker
"""
WORDS = _WORDS.split()
FIELDS = ("heading", "body")


@dataclass
class HashingEmbedder:
    """Hashes words to a few numbers. calls: every text that was embedded. broken: raise instead."""

    name: str = "hashing-32"
    dimension: int = 32
    multilingual: bool = False
    calls: list[str] = field(default_factory=list)
    broken: bool = False
    fails_after: int | None = None

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document chunks."""
        if self.broken or (self.fails_after is not None and len(self.calls) >= self.fails_after):
            raise EmbedderUnavailable("the test's embedder is out of order")
        self.calls.extend(texts)
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions."""
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    def _vector(self, text: str) -> Vectors:
        found = np.zeros(self.dimension, dtype=np.float32)
        for word in text.lower().split():
            key = zlib.crc32(f"{self.name} {word}".encode())
            found[key % self.dimension] += 1.0 if key & 0x10000 else -1.0
        length = float(np.linalg.norm(found))
        return found / length if length else found


@dataclass(frozen=True)
class TextSource:
    """A document of paragraphs: the first line of each is its heading. skip: why it cannot be taken in."""

    document: str
    text: str
    skip: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    def chunks(self) -> Sequence[DocumentChunk]:
        if self.skip:
            raise DocumentSkipped(self.document, self.skip, "this test says so")
        found, line = [], 1
        for ordinal, part in enumerate(p for p in self.text.split("\n\n") if p.strip()):
            heading, _, body = part.partition("\n")
            lines = part.count("\n") + 1
            found.append(
                DocumentChunk(self.document, ordinal, (heading,), line, line + lines - 1, body or heading, "en")
            )
            line += lines + 1
        return found


def page(seed: int, parts: int = 4) -> str:
    """The text of a document; the same for the same seed."""
    chance = random.Random(seed)
    found = []
    for _ in range(parts):
        heading = f"{chance.choice(WORDS).title()} {chance.choice(WORDS)}"
        found.append(f"{heading}\n{' '.join(chance.choices(WORDS, k=chance.randint(8, 30)))}")
    return "\n\n".join(found)


def sources(pages: Mapping[str, str]) -> list[TextSource]:
    """The documents of an indexing run."""
    return [TextSource(document, text) for document, text in pages.items()]


def library(count: int, seed: int = 0) -> dict[str, str]:
    """Document id -> text."""
    return {f"guide/{WORDS[n % 9]}/{n:04}.md": page(seed * 10_000 + n) for n in range(count)}


def opened(folder: Path, embedder: Embedder | None = None, **more: Any) -> SqlCollections:
    """The collections that live in a folder, as a new process would open them."""
    embedder = embedder or HashingEmbedder()
    known = {embedder.name: embedder}
    place = more.pop("place", folder / "collections.sqlite")
    return SqlCollections(place, folder, known.get, embedder, **more)


def lexical_only(folder: Path, **more: Any) -> SqlCollections:
    """The same where no embedder is installed."""
    return SqlCollections(folder / "collections.sqlite", folder, lambda _: None, None, **more)


def index(collections: SqlCollections, pages: Mapping[str, str], name: str = "docs", **more: Any) -> IndexReport:
    """Bring a collection up to date."""
    return collections.index(name, "general", sources(pages), **more)


def clauses(words: Iterable[str]) -> list[Clause]:
    """A search for words in both fields."""
    return [Clause(f, w, 1.0) for w in words for f in FIELDS]


def keys_by_words(collection: Collection, *words: str, limit: int = 10) -> list[str]:
    return [hit.path for hit in collection.search(clauses(words), limit)]


def keys_by_meaning(collection: Collection, text: str, limit: int = 10, embedder: Embedder | None = None) -> list[str]:
    vector = (embedder or HashingEmbedder()).questions([text])[0]
    return [hit.path for hit in collection.nearest(vector, limit)]


def everything(collection: Collection, documents: Iterable[str]) -> dict[str, Any]:
    """All that a collection says, but for its version; in a form that can be compared."""
    chance = random.Random(5)
    chunks = {d: collection.document_chunks(d) for d in documents}
    keys = [c.key for found in chunks.values() for c in found]
    info = collection.info
    queries = [chance.sample(WORDS, 1 + n % 5) for n in range(25)]
    embedder = HashingEmbedder()
    vectors = embedder.questions([" ".join(q) for q in queries])
    return {
        "info": (info.name, info.domain, info.documents, info.chunks, info.embedder, info.dimension),
        "chunks": chunks,
        "by_key": collection.chunks(keys),
        "search": [[(h.path, h.score) for h in collection.search(clauses(q), 10)] for q in queries],
        "nearest": [[(h.path, h.score) for h in collection.nearest(v, 10)] for v in vectors],
        "frequency": {w: [collection.document_frequency(w, f) for f in FIELDS] for w in WORDS},
        "prefix": {w: collection.words_with_prefix(w[:2]) for w in WORDS},
        "mean_length": collection.mean_length,
        "vectors": {k: v.tobytes() for k, v in sorted(collection.vectors(keys).items())},
        "warnings": list(collection.warnings),
    }


def assert_same(found: dict[str, Any], expected: dict[str, Any], where: str = "") -> None:
    """Equal in everything; of the ten nearest, one may differ: HNSW may lose sight of a neighbour after deletions."""
    near = ("nearest", "near")
    assert {k: v for k, v in found.items() if k not in near} == {k: v for k, v in expected.items() if k not in near}, (
        where
    )
    for name in near:
        for one, other in zip(found.get(name, []), expected.get(name, []), strict=True):
            assert len(set(one) & set(other)) >= len(other) - 1, where
