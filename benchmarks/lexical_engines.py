"""Three lexical engines behind one small door: the product's index over tantivy, SQLite's FTS5, and bm25s.

Each gets the same analysed texts in the same three fields, and ranks by the sum of the fields' BM25 with the same
weights (FTS5 pools the weighted counts instead, as BM25F does).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from iterative_retrieval.retrieval.analysis import IndexText
    from iterative_retrieval.state.analysis import FileAnalysis
    from iterative_retrieval.state.source import FileEntry
    from iterative_retrieval.stores.corpus import Corpus
    from iterative_retrieval.stores.lexical import LexicalIndex
    from iterative_retrieval.stores.slots import LexicalStore

WEIGHTS = {"path": 2.0, "definitions": 1.5, "body": 1.0}
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Document:
    """One analysed file."""

    entry: FileEntry
    analysis: FileAnalysis
    text: IndexText

    @property
    def fields(self) -> dict[str, str]:
        """Field -> its terms joined by blanks."""
        from iterative_retrieval.retrieval.text import stream

        return {
            "path": stream(self.entry.path).text,
            "definitions": self.text.definitions,
            "body": self.text.body,
        }


Documents = Mapping[str, Document]
"""Path -> document."""


class Engine(Protocol):
    """One engine with its index in a folder of its own."""

    name: str

    def know(self, documents: Documents) -> None:
        """Take what the product would have stored of the documents' analyses; not timed."""

    def build(self, documents: Documents) -> None:
        """Index the documents from nothing, ready to search, on disk."""

    def update(self, documents: Documents, changed: Documents) -> None:
        """Bring the index to ``documents``, of which only ``changed`` are new."""

    def search(self, terms: Sequence[str], limit: int) -> list[str]:
        """Paths, best first."""

    def close(self) -> None:
        """Let go of files."""


class Tantivy:
    """The product's own index: immutable segments from stored analyses, shared between snapshots by hard links.

    Args:
        folder: where the index goes; the stored analyses go beside it.
        corpus: a commit; its list of files is replaced by that of the documents.
    """

    name = "tantivy"

    def __init__(self, folder: Path, corpus: Corpus) -> None:
        from iterative_retrieval.stores.blobs import BlobStore
        from iterative_retrieval.stores.slots import LexicalStore

        self._corpus = corpus
        self._aside = folder.with_name(f"{folder.name}-aside")
        self._blobs = BlobStore(self._aside / "analyses.sqlite")
        self._store = LexicalStore(folder)

    def know(self, documents: Documents) -> None:
        """Store the analyses, by indexing into a place that is not looked at again."""
        from iterative_retrieval.stores.slots import LexicalStore

        self._index_into(LexicalStore(self._aside / "lexical"), documents)

    def build(self, documents: Documents) -> None:
        """A slot of segments."""
        self._index = self._index_into(self._store, documents)

    def update(self, documents: Documents, changed: Documents) -> None:
        """A slot beside the first, of its segments and new ones."""
        self.build(documents)

    def search(self, terms: Sequence[str], limit: int) -> list[str]:
        """Clauses of every term in every field."""
        from iterative_retrieval.state.ports import Clause

        clauses = [Clause(field, term, weight) for term in terms for field, weight in WEIGHTS.items()]
        return [hit.path for hit in self._index.search(clauses, limit)]

    def close(self) -> None:
        """Close the stored analyses."""
        self._blobs.close()

    def _index_into(self, store: LexicalStore, documents: Documents) -> LexicalIndex:
        from iterative_retrieval.stores.indexing import index_corpus

        listed = replace(self._corpus, files=[documents[path].entry for path in sorted(documents)])
        _, index = index_corpus(listed, store, self._blobs)
        return index


class Fts5:
    """SQLite's full-text index without its own copy of the texts."""

    name = "SQLite FTS5"

    def __init__(self, folder: Path, _: Corpus) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(folder / "fts5.sqlite")
        self._ids: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._held: dict[str, Document] = {}

    def know(self, documents: Documents) -> None:
        """Nothing: it takes the texts themselves."""

    def build(self, documents: Documents) -> None:
        """One table; terms are ASCII words or unsplit runs beyond ASCII, so the ascii tokenizer keeps them whole."""
        self._connection.execute(
            f"CREATE VIRTUAL TABLE doc USING fts5({', '.join(WEIGHTS)}, content='', tokenize='ascii')"
        )
        self._insert(documents)

    def update(self, documents: Documents, changed: Documents) -> None:
        """Old rows out, new rows in."""
        gone = [(self._ids[p], *self._held[p].fields.values()) for p in changed if p in self._ids]
        self._connection.executemany(
            "INSERT INTO doc(doc, rowid, path, definitions, body) VALUES ('delete', ?, ?, ?, ?)", gone
        )
        self._insert(changed)

    def search(self, terms: Sequence[str], limit: int) -> list[str]:
        """Any of the terms, by bm25() with the fields' weights."""
        if not terms:
            return []
        weights = ", ".join(str(w) for w in WEIGHTS.values())
        match = " OR ".join(f'"{t}"' for t in terms)
        rows = self._connection.execute(
            f"SELECT rowid FROM doc WHERE doc MATCH ? ORDER BY bm25(doc, {weights}), rowid LIMIT ?", (match, limit)
        )
        return [self._paths[i] for (i,) in rows]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _insert(self, documents: Documents) -> None:
        first = max(self._ids.values(), default=0) + 1
        rows = [(i, *d.fields.values()) for i, d in enumerate(documents.values(), start=first)]
        self._connection.executemany("INSERT INTO doc(rowid, path, definitions, body) VALUES (?, ?, ?, ?)", rows)
        self._connection.commit()
        self._ids |= {p: i for i, p in enumerate(documents, start=first)}
        self._paths |= {i: p for p, i in self._ids.items()}
        self._held |= documents


class Bm25s:
    """One score matrix a field; it knows no update, so every change builds it anew."""

    name = "bm25s"

    def __init__(self, folder: Path, _: Corpus) -> None:
        self._folder = folder
        self._engines: dict[str, Any] = {}
        self._paths: list[str] = []

    def know(self, documents: Documents) -> None:
        """Nothing: it takes the texts themselves."""

    def build(self, documents: Documents) -> None:
        """Every field from nothing, and saved."""
        import bm25s  # type: ignore[import-untyped]

        fields = [documents[path].fields for path in sorted(documents)]
        self._paths = sorted(documents)
        for field in WEIGHTS:
            engine = bm25s.BM25(k1=K1, b=B)
            engine.index([f[field].split() or [""] for f in fields], show_progress=False)
            engine.save(self._folder / field, show_progress=False)
            self._engines[field] = engine

    def update(self, documents: Documents, changed: Documents) -> None:
        """The same as building."""
        self.build(documents)

    def search(self, terms: Sequence[str], limit: int) -> list[str]:
        """The weighted sum of the fields' scores, ties by path."""
        import numpy as np

        totals = np.zeros(len(self._paths))
        for field, engine in self._engines.items():
            if known := [t for t in terms if t in engine.vocab_dict]:
                totals += WEIGHTS[field] * engine.get_scores(known)
        order = np.argsort(-totals, kind="stable")[:limit].tolist()  # documents stand in path order
        return [self._paths[i] for i in order if totals[i] > 0]

    def close(self) -> None:
        """Nothing is held."""


ENGINES: tuple[type[Tantivy] | type[Bm25s] | type[Fts5], ...] = (Tantivy, Bm25s, Fts5)


def megabytes(folder: Path) -> float:
    """Disk space of the files below a folder, hard-linked ones once."""
    sizes: dict[int, int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            status = os.stat(os.path.join(place, name))
            sizes[status.st_ino] = status.st_size
    return sum(sizes.values()) / 1e6
