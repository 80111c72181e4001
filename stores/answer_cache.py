"""Stored answers in the database: entries of another key are never even loaded, and nothing outdated is written.

What one key may see of another is decided in the ``WHERE`` clause: tenant, domain, collection, language, query type,
embedder, epoch and contract are equal, or the row is not read. The index version is not among them; why, and what makes
up for it, stands in ``retrieval/answer_cache/serving.py``.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from ..state.answer import Answer
from ..state.caching import AdmissionVerdict, CacheEntry, CacheKey, Evidence
from ..state.document_ports import NearEntry, Vectors
from .collection_rows import in_parts
from .sql import BOOKKEEPING, SqlStore
from .tables import CacheDecisionRow, CacheEntryRow, CacheEvidenceRow, ChunkRow, CollectionRow, RequestLogRow

NEWEST = 5_000
"""How many of a key's entries are compared by vector, the newest ones."""

_SPACE = ("tenant", "domain", "collection", "language", "query_type", "embedder", "epoch", "contract")
_DECISIONS_KEPT = 90 * 86_400.0  # seconds
_HOUR = 3_600.0


class SqlAnswerCache:
    """The answer cache of this installation.

    Args:
        sql: the database.

    Raises:
        StoreUnavailable: from every method, when the database cannot be used.
    """

    def __init__(self, sql: SqlStore) -> None:
        self._sql = sql
        self._swept = 0.0

    def exact(self, key: CacheKey, normalized: str) -> CacheEntry | None:
        """The newest entry of this key and normalised question, stale or not."""
        found = select(CacheEntryRow.id).where(
            CacheEntryRow.digest == _digest(key, normalized), CacheEntryRow.normalized == normalized, *_within(key)
        )
        with self._sql.reading() as tx:
            newest = found.order_by(CacheEntryRow.created.desc(), CacheEntryRow.id.desc()).limit(1)
            entries = _entries(tx, tx.execute(newest).scalars().all())
        return next(iter(entries.values()), None)

    def near(self, key: CacheKey, question: str, vector: Vectors | None, limit: int = 5) -> list[NearEntry]:
        """Entries of this key that are not stale, by cosine of their questions, best first; [] without a vector."""
        if vector is None:
            return []
        usable = (CacheEntryRow.stale == "", func.length(CacheEntryRow.vector) == vector.size * 4, *_within(key))
        newest = select(CacheEntryRow.id, CacheEntryRow.vector).where(*usable)
        with self._sql.reading() as tx:
            rows = tx.execute(newest.order_by(CacheEntryRow.created.desc(), CacheEntryRow.id.desc()).limit(NEWEST))
            best = _best([(row[0], row[1] or b"") for row in rows], vector, limit)
            entries = _entries(tx, best)
        return [NearEntry(entries[number], best[number]) for number in best]

    def put(
        self, key: CacheKey, question: str, normalized: str, vector: Vectors | None, entry: CacheEntry
    ) -> CacheEntry | None:
        """Store an entry, in the place of an older one of the same question; its id is given here.

        None when a piece of its evidence is no longer current: that is looked at in the transaction that writes, so a
        document cannot change in between without either of them noticing.
        """
        digest = _digest(key, normalized)
        with self._sql.writing(BOOKKEEPING) as tx:
            _wait_for(tx, key.collection)
            if not _all_current(tx, key.collection, entry.evidence):
                return None
            tx.execute(delete(CacheEntryRow).where(CacheEntryRow.digest == digest, *_within(key)))
            values = _values(key, question, normalized, vector, entry) | {"digest": digest}
            made = tx.execute(insert(CacheEntryRow).returning(CacheEntryRow.id), values).scalar_one()
            evidence = [_evidence_values(made, key.collection, piece) for piece in entry.evidence]
            if evidence:
                tx.execute(insert(CacheEvidenceRow), evidence)
        return entry.model_copy(update={"id": made, "key": key, "question": question, "normalized": normalized})

    def hit(self, entry: int, time: float) -> None:
        """Count a served hit."""
        with self._sql.writing(BOOKKEEPING) as tx:
            counted = {"hits": CacheEntryRow.hits + 1, "last_hit": time}
            tx.execute(update(CacheEntryRow).where(CacheEntryRow.id == entry).values(counted))

    def decided(self, question: str, key: CacheKey, verdict: AdmissionVerdict, time: float) -> None:
        """Keep an admission decision with its reason; those of a quarter ago are deleted, at most once an hour."""
        row = {"time": time, "question": question, "key": key.model_dump(), **verdict.model_dump(mode="json")}
        with self._sql.writing(BOOKKEEPING) as tx:
            tx.execute(insert(CacheDecisionRow), row)
            if time - self._swept >= _HOUR:
                tx.execute(delete(CacheDecisionRow).where(CacheDecisionRow.time < time - _DECISIONS_KEPT))
        self._swept = time if time - self._swept >= _HOUR else self._swept

    def current(self, collection: str, evidence: Sequence[Evidence]) -> bool:
        """Whether every piece of evidence still has that content."""
        with self._sql.reading() as tx:
            return _all_current(tx, collection, evidence)

    def purge(self, collection: str | None = None, stale_only: bool = False) -> int:
        """Delete entries, and unless only stale ones are meant, what is kept of decisions; the number of entries."""
        entries = delete(CacheEntryRow)
        decisions = delete(CacheDecisionRow)
        if collection is not None:
            entries = entries.where(CacheEntryRow.collection == collection)
            decisions = decisions.where(CacheDecisionRow.key["collection"].as_string() == collection)
        if stale_only:
            entries = entries.where(CacheEntryRow.stale != "")
        with self._sql.writing() as tx:
            deleted = tx.execute(entries).rowcount
            if not stale_only:
                tx.execute(decisions)
        return deleted

    def stats(self, collection: str | None = None) -> dict[str, Any]:
        """Counts: "entries", "stale", "hits", "lookups" and "admissions" by reason.

        Look-ups are counted from the request log: what people kept out of it is not among them.
        """
        entries = select(func.count(), func.coalesce(func.sum(CacheEntryRow.hits), 0))
        lookups = select(RequestLogRow.lookup, func.count()).where(RequestLogRow.lookup != "")
        admissions = select(CacheDecisionRow.reason, func.count())
        if collection is not None:
            entries = entries.where(CacheEntryRow.collection == collection)
            lookups = lookups.where(RequestLogRow.collection == collection)
            admissions = admissions.where(CacheDecisionRow.key["collection"].as_string() == collection)
        with self._sql.reading() as tx:
            count, hits = tx.execute(entries).one()
            stale, _ = tx.execute(entries.where(CacheEntryRow.stale != "")).one()
            asked = tx.execute(lookups.group_by(RequestLogRow.lookup)).all()
            decided = tx.execute(admissions.group_by(CacheDecisionRow.reason)).all()
        return {
            "entries": count,
            "stale": stale,
            "hits": int(hits),
            "lookups": _counted((row[0], row[1]) for row in asked),
            "admissions": _counted((row[0], row[1]) for row in decided),
        }


def _within(key: CacheKey) -> list[ColumnElement[bool]]:
    """What the rows of a key's name space have in common."""
    return [getattr(CacheEntryRow, name) == getattr(key, name) for name in _SPACE]


def _digest(key: CacheKey, normalized: str) -> str:
    parts = [*(getattr(key, name) for name in _SPACE), normalized]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _wait_for(tx: Connection, collection: str) -> None:
    """On a server, wait for who is changing the collection; in SQLite the transaction has done so already."""
    tx.execute(select(CollectionRow.id).where(CollectionRow.name == collection).with_for_update())


def _all_current(tx: Connection, collection: str, evidence: Sequence[Evidence]) -> bool:
    now: dict[str, str] = {}
    for part in in_parts([piece.chunk for piece in evidence]):
        held = select(ChunkRow.key, ChunkRow.sha256).join(CollectionRow, CollectionRow.id == ChunkRow.collection_id)
        rows = tx.execute(held.where(CollectionRow.name == collection, ChunkRow.key.in_(part)))
        now.update((row.key, row.sha256) for row in rows)
    return all(now.get(piece.chunk) == piece.sha256 for piece in evidence)


def _best(rows: Sequence[tuple[int, bytes]], vector: Vectors, limit: int) -> dict[int, float]:
    """Entry id -> similarity, 0 to 1, best first; ties by id."""
    if not rows:
        return {}
    held = np.frombuffer(b"".join(held for _, held in rows), dtype="<f4").reshape(len(rows), -1)
    lengths = np.linalg.norm(held, axis=1) * float(np.linalg.norm(vector))
    with np.errstate(divide="ignore", invalid="ignore"):
        cosines = np.nan_to_num((held @ vector) / lengths, nan=0.0, posinf=0.0, neginf=0.0)
    found = [(number, float(np.clip(c, 0.0, 1.0))) for (number, _), c in zip(rows, cosines, strict=True)]
    return dict(sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit])


def _entries(tx: Connection, numbers: Iterable[int]) -> dict[int, CacheEntry]:
    """Id -> entry of those that exist."""
    wanted = list(numbers)
    rows = tx.execute(select(*CacheEntryRow.__table__.columns).where(CacheEntryRow.id.in_(wanted))).all()
    resting = select(CacheEvidenceRow.entry_id, CacheEvidenceRow.chunk, CacheEvidenceRow.sha256)
    pieces = tx.execute(resting.where(CacheEvidenceRow.entry_id.in_(wanted)).order_by(CacheEvidenceRow.id)).all()
    evidence: dict[int, list[Evidence]] = {number: [] for number in wanted}
    for piece in pieces:
        evidence[piece.entry_id].append(Evidence(chunk=piece.chunk, sha256=piece.sha256))
    return {row.id: _entry(row, evidence[row.id]) for row in rows}


def _entry(row: Row[Any], evidence: list[Evidence]) -> CacheEntry:
    return CacheEntry(
        id=row.id,
        key=CacheKey(index_version=row.index_version, **{name: getattr(row, name) for name in _SPACE}),
        question=row.question,
        normalized=row.normalized,
        answer=Answer.model_validate(row.answer),
        evidence=evidence,
        top=list(row.top),
        created=row.created,
        hits=row.hits,
        stale=row.stale,
    )


def _values(key: CacheKey, question: str, normalized: str, vector: Vectors | None, entry: CacheEntry) -> dict[str, Any]:
    return {
        **key.model_dump(),
        "question": question,
        "normalized": normalized,
        "vector": None if vector is None else np.ascontiguousarray(vector, dtype="<f4").tobytes(),
        "answer": entry.answer.model_dump(mode="json"),
        "top": list(entry.top),
        "created": entry.created,
        "last_hit": None,
        "hits": 0,
        "stale": "",
    }


def _evidence_values(entry: int, collection: str, piece: Evidence) -> dict[str, Any]:
    return {"entry_id": entry, "collection": collection, "chunk": piece.chunk, "sha256": piece.sha256}


def _counted(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Reason -> how often, the most frequent first."""
    return dict(Counter(dict(pairs)).most_common())


__all__ = ["NEWEST", "SqlAnswerCache"]
