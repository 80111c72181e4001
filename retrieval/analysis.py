"""One file taken apart for search: its terms by chunk, its structure, and whether it is worth searching at all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from ..state.analysis import FileAnalysis
from ..state.source import LeftOutReason, Structure
from .contents import sniff
from .structure import STRUCTURE_VERSION, structure_of
from .text import ANALYSIS_VERSION, stream

VERSION = f"{ANALYSIS_VERSION}.{STRUCTURE_VERSION}.2"
"""Part of the key of every stored analysis."""

Keys = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class IndexText:
    """What the lexical engine indexes of a file: terms joined by blanks."""

    body: str
    definitions: str
    symbols: str
    imports: str


EMPTY = Structure("", (), (), ())
NOTHING = IndexText("", "", "", "")


def analyse_file(path: str, data: bytes) -> tuple[FileAnalysis, IndexText]:
    """The analysis of one file, and what to index of it. Never raises on odd content."""
    contents = sniff(data)
    if contents.text is None or contents.reason is not None:
        return _left_out(contents.reason or LeftOutReason.UNREADABLE), NOTHING
    structure = structure_of(path, contents.text)
    lines = contents.text.split("\n")
    streams = [stream("\n".join(lines[c.first - 1 : c.last])) for c in structure.chunks]
    names = stream(" ".join(s.name for s in structure.symbols))
    analysis = FileAnalysis(
        reason=None,
        generated=contents.generated,
        lines=len(lines),
        parts=_joined([s.parts for s in streams]),
        wholes=_joined([s.wholes for s in streams]),
        chunk_ends=_ends([len(s.parts) for s in streams], [len(s.wholes) for s in streams]),
        names=np.asarray(names.parts, dtype=np.uint32),
        structure=structure,
    )
    return analysis, _index_text(" ".join(s.text for s in streams), structure)


def _index_text(body: str, structure: Structure) -> IndexText:
    return IndexText(
        body=body,
        definitions=stream(" ".join(s.name for s in structure.symbols)).text,
        symbols=" ".join(dict.fromkeys(s.name for s in structure.symbols)),
        imports=" ".join(dict.fromkeys(_import_words(structure))),
    )


def _left_out(reason: LeftOutReason) -> FileAnalysis:
    none = np.zeros(0, dtype=np.uint32)
    return FileAnalysis(reason, False, 0, none, none, np.zeros((0, 2), dtype=np.int32), none, EMPTY)


def _joined(lists: list[list[int]]) -> Keys:
    return np.fromiter(chain.from_iterable(lists), dtype=np.uint32, count=sum(map(len, lists)))


def _ends(parts: list[int], wholes: list[int]) -> NDArray[np.int32]:
    return np.array([list(accumulate(parts)), list(accumulate(wholes))], dtype=np.int32).T.copy()


def _import_words(structure: Structure) -> list[str]:
    """The last component of each imported module and every imported name: what importers are found by."""
    words: list[str] = []
    for item in structure.imports:
        words.extend(w for w in _last_words(item.module) if w)
        words.extend(item.names)
    return words


def _last_words(module: str) -> list[str]:
    pieces = module.replace("\\", "/").replace("::", "/").split("/")
    tail = pieces[-1]
    stem = tail.rsplit(".", 1)[0] if tail.endswith(_SUFFIXES) else tail
    return [stem.rsplit(".", 1)[-1].strip()]


_SUFFIXES = (".js", ".ts", ".jsx", ".tsx", ".h", ".hpp", ".rb", ".php", ".mjs")
