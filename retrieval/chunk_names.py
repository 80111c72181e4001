"""What the name, the class and the place of a chunk say about a task, without its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..state.analysis import FileAnalysis
from ..state.source import Chunk
from .named import rarity_of
from .task import Frame, Task
from .text import content_terms

NAME_SIGNALS = (
    "chunk_class_title",
    "chunk_class_named",
    "chunk_class_said",
    "chunk_named_rare",
    "chunk_private",
    "chunk_dunder",
    "chunk_nested",
    "chunk_deep_frame",
    "chunk_frame_name",
)
"""Columns of ``NameReader.columns``: share of the class's words in the title; the class is named, rare names more; the
same whatever its rarity; the chunk is named, rare names more; its name begins with one underscore; with two; it lies
inside a function; a stack frame points into it, inner ones more; a frame has its name."""

STRENGTH = {"title": 1.0, "quoted": 1.0, "prose": 0.8, "called": 0.6, "code": 0.5, "trace": 0.6}
"""How much a name counts, by the section of the task that names it."""
_FADING = 0.8  # of frames, from the innermost outwards


@dataclass(frozen=True)
class NameReader:
    """Reads the names of chunks against one task; remembers what words a name has.

    Args:
        task: the task taken apart.
        definers: how many files define a name.
    """

    task: Task
    definers: Callable[[str], int]
    _shares: dict[str, float] = field(default_factory=dict)

    def columns(self, path: str, analysis: FileAnalysis) -> np.ndarray:
        """(n_chunks, n_signals), the columns of NAME_SIGNALS."""
        kinds = {s.qualified: s.kind.value for s in analysis.structure.symbols}
        frames = self._frames(path)
        rows = [self._row(chunk, kinds, frames) for chunk in analysis.structure.chunks]
        return np.array(rows, dtype=np.float32).reshape(len(rows), len(NAME_SIGNALS))

    def title_share(self, chunk: Chunk) -> float:
        """The share of the words of the chunk's own name that stand in the title."""
        return self._share(chunk.symbol.rpartition(".")[2])

    def _row(self, chunk: Chunk, kinds: Mapping[str, str], frames: Sequence[tuple[float, Frame]]) -> list[float]:
        owner, _, name = chunk.symbol.rpartition(".")
        group = owner.rpartition(".")[2]
        if kinds.get(chunk.symbol) == "class":
            group, name = name, ""
        symbols = self.task.symbols
        said, named = STRENGTH.get(symbols.get(group, ""), 0.0), STRENGTH.get(symbols.get(name, ""), 0.0)
        pointed = [w for w, f in frames if (f.function and f.function == name) or chunk.first <= f.line <= chunk.last]
        return [
            self._share(group),
            said * rarity_of(self.definers(group)) if said else 0.0,
            said,
            named * rarity_of(self.definers(name)) if named else 0.0,
            float(name.startswith("_") and not name.startswith("__")),
            float(name.startswith("__") and name.endswith("__") and name != "__init__"),
            float(kinds.get(owner) in ("function", "method")),
            max(pointed, default=0.0),
            float(bool(name) and any(f.function == name for f in self.task.frames)),
        ]

    def _share(self, name: str) -> float:
        if name not in self._shares:
            words = set(content_terms(name).parts)
            title = set(content_terms(self.task.title).parts)
            self._shares[name] = len(words & title) / len(words) if words else 0.0
        return self._shares[name]

    def _frames(self, path: str) -> list[tuple[float, Frame]]:
        """The frames that may mean the file, each with its weight."""
        name = "/" + path.rpartition("/")[2]
        frames = enumerate(reversed(self.task.frames))
        return [(_FADING**depth, f) for depth, f in frames if ("/" + f.path.replace("\\", "/")).endswith(name)]


__all__ = ["NAME_SIGNALS", "STRENGTH", "NameReader"]
