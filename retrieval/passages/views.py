"""A document as its chunks are judged by: the words of every chunk, of its headings, and of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from ...state.documents import StoredChunk
from .definitions import defined_names, enclosing_names
from .words import words


@dataclass(frozen=True)
class ChunkView:
    """One chunk. names: what its heading, its definitions and the types around it are called, as terms."""

    chunk: StoredChunk
    body: Counter[str]
    heading: Counter[str]
    names: Counter[str]
    defines: frozenset[str]
    sequence: Sequence[str] = field(repr=False)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Neighbouring terms of the text."""
        return frozenset(pairwise(self.sequence))

    @property
    def length(self) -> int:
        """Number of terms of the text."""
        return len(self.sequence)


@dataclass(frozen=True)
class DocumentView:
    """A document's chunks in order."""

    chunks: list[ChunkView]

    @cached_property
    def body(self) -> Counter[str]:
        """The terms of the whole document."""
        total: Counter[str] = Counter()
        for view in self.chunks:
            total.update(view.body)
        return total

    @cached_property
    def length(self) -> int:
        """Number of terms of the whole document."""
        return sum(view.length for view in self.chunks)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Key of a chunk -> its place in ``chunks``."""
        return {view.chunk.key: i for i, view in enumerate(self.chunks)}


def document_view(chunks: Sequence[StoredChunk]) -> DocumentView:
    """The view of a document's chunks, which are in order."""
    around = enclosing_names([c.text if c.kind == "code" else "" for c in chunks])
    return DocumentView([_chunk_view(c, outer) for c, outer in zip(chunks, around, strict=True)])


def _chunk_view(chunk: StoredChunk, outer: Sequence[str]) -> ChunkView:
    sequence = list(words(chunk.text, chunk.language))
    heading = Counter(words(" ".join(chunk.heading), chunk.language))
    defined = defined_names(chunk.text) if chunk.kind == "code" else []
    names = heading + Counter(words(" ".join([*outer, *defined]), chunk.language))
    keys = frozenset(n.lower().replace("_", "") for n in defined)
    return ChunkView(chunk, Counter(sequence), heading, names, keys, sequence)
