"""Meaning as a number: vectors of questions, and what cosine means under an embedder."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np

from ..state.document_ports import Collection, Collections, Embedder, Vectors

_KEPT = 64

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
    """Vectors by a collection's own embedder, the latest kept. Borrows the collections.

    Raises:
        EmbedderUnavailable: from ``question``, when the embedder fails.
    """

    collections: Collections
    _vectors: OrderedDict[tuple[str, str], Vectors] = field(default_factory=OrderedDict, repr=False)
    _baselines: dict[str, float] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def question(self, collection: Collection, text: str) -> Vectors | None:
        """The vector (dimension,) of a question; None when the collection is lexical only."""
        embedder = self._embedder(collection)
        if embedder is None:
            return None
        key = (embedder.name, text)
        with self._lock:
            held = self._vectors.get(key)
        if held is None:
            held = embedder.questions([text])[0]
            with self._lock:
                self._vectors[key] = held
                while len(self._vectors) > _KEPT:
                    self._vectors.popitem(last=False)
        return held

    def baseline(self, collection: Collection) -> float:
        """Mean cosine of texts that have nothing to do with each other; 0 when the collection is lexical only."""
        embedder = self._embedder(collection)
        if embedder is None:
            return 0.0
        if embedder.name not in self._baselines:
            self._baselines[embedder.name] = _baseline(embedder)
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
