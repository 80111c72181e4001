"""Slots: one folder for each indexed snapshot, put together from segments that other slots may share.

A slot never changes once published, so any number of processes read it without locks. Segments are shared by hard
links. A slot is prepared in a temporary folder and renamed into place as a whole: a killed build leaves nothing but
that folder. A damaged slot is removed and built again.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from operator import attrgetter
from pathlib import Path

from .lexical import LexicalIndex
from .segments import (
    FILES,
    META,
    Document,
    IndexDamaged,
    Layout,
    Segment,
    check_segments,
    checksum_of,
    engine_errors,
    reading,
    segment_size,
    write_meta,
)

_MANIFEST = "manifest.json"
KEEP = 6
"""Slots a repository, unless more are asked for; the least recently used go first."""
_NEAR = 0.95  # share of documents in common at which no nearer slot is looked for
_STALE = 3600.0  # seconds after which an abandoned temporary folder is swept
_BUILDING, _EVICTED = "building-", "evicted-"


@dataclass(slots=True)
class Reuse:
    """What a new slot takes over. segments: linked already. loose: documents whose segment is not taken over whole."""

    segments: list[Segment] = field(default_factory=list)
    loose: list[Document] = field(default_factory=list)


class LexicalStore:
    """The slots of one repository, or of another thing whose snapshots share most documents.

    Args:
        folder: where slots live; created when first needed.
        layout: of the documents.
        keep: how many slots may stay.
    """

    def __init__(self, folder: Path, layout: Layout = FILES, keep: int = KEEP) -> None:
        self.folder = folder
        self._layout = layout
        self._keep = keep
        self.damaged = False
        """Whether a damaged slot was found and removed."""

    def open(self, snapshot: str) -> LexicalIndex | None:
        """The index of a snapshot, or None when it is not built (or was damaged, and is now removed).

        Raises:
            StoreUnavailable: the cache folder cannot be read.
        """
        slot = self._slot(snapshot)
        self._sweep()
        _touch(slot)
        try:
            segments = _read_manifest(slot)
            check_segments(slot, segments)
            return LexicalIndex(slot, segments, self._layout)
        except IndexDamaged:
            if slot.exists():  # otherwise it was never there, or was evicted this very moment
                self.damaged = True
                self.discard(snapshot)
            return None

    def discard(self, snapshot: str) -> None:
        """Remove a slot; whoever has it open keeps it."""
        _remove(self._slot(snapshot))

    @contextmanager
    def building(self) -> Iterator[Path]:
        """A temporary folder in which a slot is prepared.

        Raises:
            StoreUnavailable: the cache folder cannot be written.
        """
        with engine_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            work = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=self.folder))
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def reuse(self, work: Path, kind: str, wanted: Mapping[str, str]) -> Reuse:
        """Link into ``work`` the segments of the nearest slot whose documents are all wanted.

        Args:
            work: the temporary folder.
            kind: what the snapshot's name begins with; only slots of this kind are looked at.
            wanted: path -> content id as listed.
        """
        least = segment_size(len(wanted)) // 4  # a smaller one is written anew, or their number would grow
        for slot, manifest in self._nearest(kind, wanted):
            found = Reuse()
            for segment in manifest:
                held = [d for d in segment.documents if wanted.get(d.path) == d.listed]
                if len(held) == len(segment.documents) >= least:
                    found.segments.append(segment)
                else:
                    found.loose += held
            if self._link(slot, work, found.segments):
                return found
        return Reuse()

    def publish(self, work: Path, snapshot: str, segments: Sequence[Segment]) -> LexicalIndex:
        """Make the prepared folder the slot of a snapshot, and open it.

        Raises:
            StoreUnavailable: the cache folder cannot be written.
        """
        slot = self._slot(snapshot)
        write_meta(work, segments, self._layout)
        with engine_errors(self.folder):
            (work / _MANIFEST).write_bytes(_manifest_bytes(slot.name, work, segments))
            # Opened before the folder is anyone else's: nothing can take it away.
            index = LexicalIndex(work, segments, self._layout)
            try:
                os.rename(work, slot)
                index.moved(slot)
            except OSError:
                if not slot.is_dir():  # not lost to another process, truly failed
                    raise
        self._evict(slot)
        return index

    def _slot(self, snapshot: str) -> Path:
        return self.folder / f"{snapshot}-{self._layout.format}"

    def _slots(self) -> list[Path]:
        """All slots, the latest used first."""
        try:
            names = [e.name for e in os.scandir(self.folder) if e.is_dir()]
        except FileNotFoundError:
            return []
        slots = [self.folder / n for n in names if not n.startswith((_BUILDING, _EVICTED))]
        return sorted(slots, key=_last_use, reverse=True)

    def _nearest(self, kind: str, wanted: Mapping[str, str]) -> Iterator[tuple[Path, list[Segment]]]:
        """Slots that share documents with the wanted ones, and their manifests, the nearest first."""
        ranked: list[tuple[int, Path, list[Segment]]] = []
        for slot in self._slots():
            if not (slot.name.startswith(f"{kind}-") and slot.name.endswith(f"-{self._layout.format}")):
                continue
            with suppress(IndexDamaged):  # or evicted this moment; damage is found out when the slot is opened
                manifest = _read_manifest(slot)
                shared = sum(wanted.get(d.path) == d.listed for s in manifest for d in s.documents)
                ranked.append((shared, slot, manifest))
                if shared >= _NEAR * len(wanted):
                    break
        for shared, slot, manifest in sorted(ranked, key=lambda item: item[0], reverse=True):
            if shared:
                yield slot, manifest

    def _link(self, slot: Path, work: Path, segments: Sequence[Segment]) -> bool:
        """Whether all files of the segments could be linked, and are whole; a slot that is not is removed.

        Raises:
            StoreUnavailable: the cache folder cannot be written.
        """
        try:
            with engine_errors(self.folder):
                for name in (name for segment in segments for name in segment.files):
                    _link(slot / name, work / name)
            check_segments(work, segments)
        except IndexDamaged:
            self.damaged = self.damaged or slot.exists()
            _remove(slot)
            for left in work.iterdir():
                left.unlink()
            return False
        return True

    def _evict(self, current: Path) -> None:
        slots = [(slot, _last_use(slot)) for slot in self._slots()]
        for slot, last_use in slots[self._keep :]:
            if slot != current and _last_use(slot) == last_use:  # not opened by anyone since it was listed
                _remove(slot)

    def _sweep(self) -> None:
        """Remove what killed processes left behind."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for entry in os.scandir(self.folder):
                abandoned = entry.name.startswith(_BUILDING) and time.time() - entry.stat().st_mtime > _STALE
                if abandoned or entry.name.startswith(_EVICTED):
                    _delete(Path(entry.path))


def _read_manifest(slot: Path) -> list[Segment]:
    """The segments of a slot.

    Raises:
        IndexDamaged: there is none, or it does not belong to this slot.
        StoreUnavailable: it cannot be read.
    """
    with reading(slot):
        checksum, _, body = (slot / _MANIFEST).read_bytes().partition(b"\n")
        if checksum != _checksum(slot.name, body):
            raise IndexDamaged(f"the manifest of {slot} is damaged")
        meta, segments = json.loads(body)
        if checksum_of(slot / META) != tuple(meta):
            raise IndexDamaged(f"the engine's description of {slot} is damaged")
    return [
        Segment(first, engine, {n: (size, crc) for n, (size, crc) in files.items()}, [Document(*d) for d in documents])
        for first, engine, files, documents in segments
    ]


def _manifest_bytes(name: str, folder: Path, segments: Iterable[Segment]) -> bytes:
    body = json.dumps([checksum_of(folder / META), [_as_row(s) for s in segments]], separators=(",", ":")).encode()
    return _checksum(name, body) + b"\n" + body


def _as_row(segment: Segment) -> tuple[object, ...]:
    return segment.first, segment.engine, segment.files, [_FIELDS(d) for d in segment.documents]


_FIELDS = attrgetter(*(f.name for f in fields(Document)))


def _checksum(name: str, body: bytes) -> bytes:
    """Of a manifest, together with the name of its slot."""
    return b"%08x" % zlib.crc32(body, zlib.crc32(name.encode()))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError as error:
        raise IndexDamaged(f"{source} is gone") from error
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)


def _remove(slot: Path) -> None:
    """Take a slot away as a whole, so that nobody opens half of one; whoever has it open keeps its files."""
    aside = slot.with_name(f"{_EVICTED}{uuid.uuid4().hex}")
    with suppress(OSError):  # another process was faster
        os.rename(slot, aside)
        _delete(aside)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _touch(slot: Path) -> None:
    with suppress(OSError):  # not there, or on a read-only file system
        os.utime(slot)


def _last_use(slot: Path) -> float:
    try:
        return slot.stat().st_mtime
    except OSError:
        return 0.0
