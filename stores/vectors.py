"""Chroma as an index of vectors: contents by their hash, nothing else; what it holds can always be made again.

A *space* is one Chroma collection: the vectors of one collection under one embedder. Its ids are content hashes, so a
vector that is left behind can never be taken for another content's. Chroma's own metadata stays unused (lists in it
survive the deletion of a collection), and so does its embedding, which would download a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import chromadb
import httpx
import numpy as np
from chromadb.api import ClientAPI
from chromadb.api.types import EmbeddingFunction, Embeddings
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from ..state.document_ports import Vectors

T = TypeVar("T")

BATCH = 2_000
"""Contents to be written at once; Chroma takes at most some 5,400."""

_CONFIGURATION: Any = {"hnsw": {"space": "cosine", "ef_search": 200}}


class VectorHit(NamedTuple):
    """A content and its cosine similarity to what was asked, as float32 gives it."""

    sha256: str
    score: float


class VectorIndex(Protocol):
    """Where vectors are searched: a folder of this machine, or a server."""

    @property
    def name(self) -> str:
        """The folder, or the address."""

    def ask(self, work: Callable[[Spaces], T]) -> T:
        """What ``work`` reads. Raises StoreUnavailable."""

    def change(self, work: Callable[[Spaces], object], settle: Callable[[], int]) -> None:
        """Run ``work``, which writes, then ``settle``, which notes in the database that it is done.

        ``settle`` gives the number of changes since the beginning. Raises StoreUnavailable.
        """

    def reachable(self, patient: bool = False) -> bool:
        """Whether it answers. patient: ask even when it did not answer a moment ago."""

    def close(self) -> None:
        """Let go of files and connections."""


class Spaces:
    """The spaces of an opened client."""

    def __init__(self, client: ClientAPI) -> None:
        self._client = client
        self._opened: dict[str, chromadb.Collection] = {}

    def upsert(self, space: str, contents: Sequence[str], vectors: Vectors) -> None:
        """Store vectors; the space is made when it is not there."""
        if space not in self._opened:
            self._opened[space] = self._client.get_or_create_collection(
                space, embedding_function=NoEmbedding(), configuration=_CONFIGURATION
            )
        for start in range(0, len(contents), BATCH):
            part = slice(start, start + BATCH)
            self._opened[space].upsert(ids=list(contents[part]), embeddings=vectors[part])

    def delete(self, space: str, contents: Sequence[str]) -> None:
        """Delete vectors; those that are not there do not matter."""
        for start in range(0, len(contents), BATCH):
            self._of(space, partial(_delete, list(contents[start : start + BATCH])), None)

    def drop(self, space: str) -> None:
        """Delete a whole space."""
        self._opened.pop(space, None)
        if any(known.name == space for known in self._client.list_collections()):
            self._client.delete_collection(space)

    def count(self, space: str) -> int:
        """Number of vectors; 0 when there is no such space."""
        return self._of(space, lambda opened: opened.count(), 0)

    def contents(self, space: str) -> list[str]:
        """Hashes of everything in a space; [] when there is none."""
        return self._of(space, lambda opened: list(opened.get(include=[])["ids"]), [])

    def nearest(self, space: str, vector: Vectors, limit: int) -> list[VectorHit]:
        """The nearest contents, best first; [] when there is no such space."""
        asked: Any = vector.reshape(1, -1).astype(np.float32)
        found = self._of(space, lambda o: o.query(query_embeddings=asked, n_results=limit, include=["distances"]), None)
        if found is None or found["distances"] is None:
            return []
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [VectorHit(sha256, 1.0 - float(distance)) for sha256, distance in pairs]

    def _of(self, space: str, work: Callable[[chromadb.Collection], T], otherwise: T) -> T:
        """What ``work`` gives; a space that was made anew since it was opened is opened again."""
        for _ in range(2):
            try:
                if space not in self._opened:
                    self._opened[space] = self._client.get_collection(space, embedding_function=NoEmbedding())
                return work(self._opened[space])
            except NotFoundError:
                if self._opened.pop(space, None) is None:
                    break
        return otherwise


def _delete(contents: list[str], opened: chromadb.Collection) -> None:
    opened.delete(ids=contents)


class NoEmbedding(EmbeddingFunction[Any]):
    """Refuses to embed: vectors come from our own embedder, never from Chroma's, which would download a model."""

    def __init__(self) -> None: ...

    def __call__(self, input: Any) -> Embeddings:
        """Raises RuntimeError."""
        raise RuntimeError("Chroma must not embed by itself; hand it vectors")

    @staticmethod
    def name() -> str:
        """The name under which Chroma stores it with a collection."""
        return "iterative-retrieval-none"

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> NoEmbedding:
        """Another one."""
        return NoEmbedding()

    def get_config(self) -> dict[str, Any]:
        """Nothing to configure."""
        return {}


def settings() -> Settings:
    """Chroma's settings: it reports to nobody."""
    return Settings(anonymized_telemetry=False)


def is_trouble(error: BaseException) -> bool:
    """Whether Chroma, its files or the way to its server failed; a panic comes as a class that cannot be imported."""
    kinds = (ChromaError, httpx.HTTPError, OSError, ValueError)
    return isinstance(error, kinds) or type(error).__name__ == "PanicException"
