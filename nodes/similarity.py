"""Meaning as a number: vectors of questions, and what cosine means under an embedder.

An embedder that fails costs the meaning, not the answer: search is lexical only until it works again, and says so.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np

from ..state.document_ports import Collection, Collections, Embedder, Vectors
from ..state.errors import EmbedderUnavailable
from .clock import Clock, monotonic

_KEPT = 64
_REST = 15.0
"""Seconds during which an embedder that failed is not asked again."""

_UNRELATED = (
    "The recipe needs two eggs and a cup of flour.",
    "Set the time-out of the connection in seconds.",
    "The museum is closed on Mondays.",
    "A matrix has as many rows as columns.",
    "Invoices are due within thirty days.",
    "Rain is expected along the coast tonight.",
    "Install the package and import the module.",
    "The court may extend the period on request.",
    "Water the plants once a week in winter.",
    "Click the button to export the report.",
)


@dataclass(frozen=True)
class Similarity:
    """Vectors by a collection's own embedder, the latest kept. Borrows the collections. clock: seconds, steady."""

    collections: Collections
    clock: Clock = monotonic
    _vectors: OrderedDict[tuple[str, str], Vectors] = field(default_factory=OrderedDict, repr=False)
    _baselines: dict[str, float] = field(default_factory=dict, repr=False)
    _troubles: dict[str, tuple[float, str]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def question(self, collection: Collection, text: str) -> Vectors | None:
        """The vector (dimension,) of a question; None when the collection is lexical only, or its embedder fails."""
        embedder = self._embedder(collection)
        if embedder is None or self.troubles(collection):
            return None
        try:
            return self._vector(embedder, text, collection.info.dimension)
        except EmbedderUnavailable as error:
            with self._lock:
                self._troubles[embedder.name] = self.clock(), str(error)
            return None

    def troubles(self, collection: Collection) -> list[str]:
        """What keeps the collection's embedder from working now, in words; [] when nothing does."""
        since, said = self._troubles.get(collection.info.embedder, (-_REST, ""))
        if not said or self.clock() - since >= _REST:
            return []
        return [f"the embedder failed, so that search was lexical only: {said}"]

    def _vector(self, embedder: Embedder, text: str, dimension: int) -> Vectors:
        """The vector of a question, kept or made. Raises EmbedderUnavailable."""
        key = (embedder.name, text)
        with self._lock:
            held = self._vectors.get(key)
        if held is None:
            held = embedder.questions([text])[0]
            if held.shape != (dimension,):
                raise EmbedderUnavailable(
                    f"{embedder.name} answers vectors of {held.size} numbers, the collection's have {dimension}; if "
                    "its model was changed, index the collection again"
                )
            with self._lock:
                self._vectors[key] = held
                while len(self._vectors) > _KEPT:
                    self._vectors.popitem(last=False)
        return held

    def baseline(self, collection: Collection) -> float:
        """Mean cosine of texts that have nothing to do with each other; 0 when search is lexical only."""
        embedder = self._embedder(collection)
        if embedder is None or self.troubles(collection):
            return 0.0
        try:
            if embedder.name not in self._baselines:
                self._baselines[embedder.name] = _baseline(embedder)
        except EmbedderUnavailable as error:
            with self._lock:
                self._troubles[embedder.name] = self.clock(), str(error)
            return 0.0
        return self._baselines[embedder.name]

    def multilingual(self, collection: Collection) -> bool:
        """Whether the collection's vectors reach across languages."""
        embedder = self._embedder(collection)
        return embedder is not None and embedder.multilingual

    def _embedder(self, collection: Collection) -> Embedder | None:
        return self.collections.embedder(collection.info.name) if collection.info.embedder else None


def _baseline(embedder: Embedder) -> float:
    """Mean cosine over pairs of different unrelated sentences, one as a question, one as a document."""
    cosines = embedder.questions(_UNRELATED) @ embedder.documents(_UNRELATED).T
    off = ~np.eye(len(_UNRELATED), dtype=bool)
    return float(np.clip(cosines[off].mean(), 0.0, 0.99))
