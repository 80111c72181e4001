"""What is kept of a file, as sealed bytes: bytes that changed on disk are noticed, never taken for an analysis."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..retrieval.analysis import IndexText
from ..state.analysis import FileAnalysis
from ..state.source import Chunk, Import, LeftOutReason, Structure, Symbol, SymbolKind

_SIZES = struct.Struct("<4I")  # parts, wholes, chunks, names; the arrays follow in this order, then the rest as JSON
_LEVEL = 1  # zlib: a quarter of the size for 50 microseconds a file; higher levels gain little


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the lexical index takes from a file. The other fields as in ``lexical.Document``."""

    text: IndexText
    length: int
    language: str
    reason: str
    generated: bool


def seal(key: str, payload: bytes) -> bytes:
    """The payload with a checksum of key and payload before it."""
    return zlib.crc32(payload, zlib.crc32(key.encode())).to_bytes(4, "little") + payload


def unseal(key: object, data: object) -> bytes | None:
    """The payload, or None when it is not what was sealed under this key; a damaged table may hold other types."""
    if not isinstance(key, str) or not isinstance(data, bytes):
        return None
    payload = data[4:]
    return payload if seal(key, payload)[:4] == data[:4] else None


def pack_analysis(analysis: FileAnalysis) -> bytes:
    """An analysis as bytes."""
    bounds = np.array([(c.first, c.last) for c in analysis.structure.chunks], dtype=np.int32)
    sizes = _SIZES.pack(*(len(a) for a in (analysis.parts, analysis.wholes, analysis.chunk_ends, analysis.names)))
    arrays = (analysis.parts, analysis.wholes, analysis.chunk_ends, bounds, analysis.names)
    return b"".join([sizes, *(a.tobytes() for a in arrays), _rest(analysis)])


def unpack_analysis(payload: bytes) -> FileAnalysis:
    """The analysis that was packed; its arrays are views of the payload."""
    n_parts, n_wholes, n_chunks, n_names = _SIZES.unpack_from(payload)
    counts = (n_parts, n_wholes, 2 * n_chunks, 2 * n_chunks, n_names)
    parts, wholes, ends, bounds, names = _arrays(payload, counts)
    rest = json.loads(payload[_SIZES.size + 4 * sum(counts) :])
    return FileAnalysis(
        reason=LeftOutReason(rest["reason"]) if rest["reason"] else None,
        generated=rest["generated"],
        lines=rest["lines"],
        parts=parts,
        wholes=wholes,
        chunk_ends=ends.view(np.int32).reshape(-1, 2),
        names=names,
        structure=_structure(rest, bounds.view(np.int32).reshape(-1, 2).tolist()),
    )


def indexed_of(analysis: FileAnalysis, text: IndexText) -> Indexed:
    """What the index takes from an analysed file."""
    reason = analysis.reason.value if analysis.reason else ""
    return Indexed(text, len(analysis.parts), analysis.structure.language, reason, analysis.generated)


def pack_indexed(indexed: Indexed) -> bytes:
    """The same as bytes."""
    fields = [*astuple(indexed.text), indexed.length, indexed.language, indexed.reason, indexed.generated]
    return zlib.compress(json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace"), _LEVEL)


def unpack_indexed(payload: bytes) -> Indexed:
    """What was packed for the index."""
    body, definitions, symbols, imports, *fields = json.loads(zlib.decompress(payload))
    return Indexed(IndexText(body, definitions, symbols, imports), *fields)


def _arrays(payload: bytes, counts: Sequence[int]) -> list[NDArray[np.uint32]]:
    arrays, at = [], _SIZES.size
    for count in counts:
        arrays.append(np.frombuffer(payload, dtype=np.uint32, count=count, offset=at))
        at += 4 * count
    return arrays


def _rest(analysis: FileAnalysis) -> bytes:
    structure = analysis.structure
    fields = {
        "reason": analysis.reason.value if analysis.reason else "",
        "generated": analysis.generated,
        "lines": analysis.lines,
        "language": structure.language,
        "parsed": structure.parsed,
        "symbols": [[s.name, s.qualified, s.kind.value, s.first, s.last] for s in structure.symbols],
        "imports": [[i.module, i.names, i.line] for i in structure.imports],
        "chunks": [c.symbol for c in structure.chunks],
        "bases": dict(structure.bases),
    }
    return json.dumps(fields, separators=(",", ":")).encode()


def _structure(rest: dict[str, Any], bounds: list[list[int]]) -> Structure:
    return Structure(
        language=rest["language"],
        symbols=tuple(Symbol(n, q, _KINDS[k], first, last) for n, q, k, first, last in rest["symbols"]),
        imports=tuple(Import(module, tuple(names), line) for module, names, line in rest["imports"]),
        chunks=tuple(Chunk(a, b, symbol) for (a, b), symbol in zip(bounds, rest["chunks"], strict=True)),
        bases={name: tuple(bases) for name, bases in rest["bases"].items()},
        parsed=rest["parsed"],
    )


_KINDS = {kind.value: kind for kind in SymbolKind}
