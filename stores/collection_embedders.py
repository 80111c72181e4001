"""Which embedder belongs to a collection: the one its vectors come from, never merely the configured one."""

from __future__ import annotations

from collections.abc import Callable

from ..state.document_ports import Embedder
from ..state.errors import EmbedderUnavailable, EmbeddingMismatch
from .collection_rows import CollectionState

ENDPOINT = "endpoint/"
"""What the names of embedders begin with that are served."""

EmbedderFor = Callable[[str], Embedder | None]
"""Name -> the embedder of that name; None, or EmbedderUnavailable raised, when it cannot be had here."""


class CollectionEmbedders:
    """Finds embedders by name and keeps them.

    Args:
        embedder_for: finds one.
        default: the configured one; None when there is none.
    """

    def __init__(self, embedder_for: EmbedderFor, default: Embedder | None) -> None:
        self.default = default
        self._embedder_for = embedder_for
        self._found: dict[str, Embedder] = {}

    def find(self, name: str) -> Embedder | None:
        """The embedder of that name; None when it cannot be had here, or the name is ''."""
        if not name:
            return None
        if self.default is not None and self.default.name == name:
            return self.default
        if name not in self._found:
            try:
                found = self._embedder_for(name)
            except EmbedderUnavailable:
                return None
            if found is None:
                return None
            self._found[name] = found
        return self._found[name]

    def check(self, state: CollectionState) -> list[str]:
        """Warnings about reading a collection with the embedders there are.

        Raises:
            EmbeddingMismatch: another one is configured, and the collection's own cannot be had.
        """
        if not state.embedder:
            advice = f"run `iterative-retrieval index {state.name} PATH` to make them"
            return [f"the collection has no vectors: search is lexical only; {advice}"] if self.default else []
        own = self.find(state.embedder)
        if own is not None and state.embedder.startswith(ENDPOINT):
            return []  # whether a server still answers vectors of that length shows with the first question
        if own is None and self.default is None:
            return [f"the embedder {state.embedder} is not installed: search is lexical only"]
        if own is None or _dimension(own) not in (state.dimension, None):
            raise EmbeddingMismatch(_mismatch(state, own or self.default))
        return []


def _mismatch(state: CollectionState, configured: Embedder | None) -> str:
    assert configured is not None
    size = _dimension(configured) or "an unknown number of"
    return (
        f"the vectors of {state.name!r} come from {state.embedder} ({state.dimension} numbers), but {configured.name} "
        f"({size} numbers) is configured; run `iterative-retrieval index {state.name} PATH` to embed the collection "
        "again, or configure its own embedder"
    )


def _dimension(embedder: Embedder) -> int | None:
    """The dimension; None when the embedder cannot say it now."""
    try:
        return embedder.dimension
    except EmbedderUnavailable:
        return None
