"""Rows of genomes and decisions as values, and the one way a genome changes: compare and swap."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from ..state.errors import StaleReview, UnknownGenome
from ..state.evolution import Decision, DecisionKind, GenomeRecord
from .ledger_tables import IS_ACTIVE, CycleRow, DecisionRow, GenomeRow, ProposalRow

_GENOME = select(*(getattr(GenomeRow, name) for name in GenomeRecord.model_fields))
_DECISION_COLUMNS = [getattr(DecisionRow, name) for name in Decision.model_fields]


def genome_by_id(tx: Connection, genome_id: int) -> GenomeRecord:
    """The genome of that id.

    Raises:
        UnknownGenome: there is none.
    """
    row = tx.execute(_GENOME.where(GenomeRow.id == genome_id)).one_or_none()
    if row is None:
        raise UnknownGenome(
            f"no genome {genome_id} in the ledger; `iterative-retrieval evolve list` shows those there are"
        )
    return genome_record(row)


def genome_by_hash(tx: Connection, layer: str, domain: str, genome_hash: str) -> GenomeRecord | None:
    """The genome with these genes; None when there is none."""
    found = genomes_where(tx, *of_slot(layer, domain), GenomeRow.genome_hash == genome_hash)
    return found[0] if found else None


def active_genome(tx: Connection, layer: str, domain: str) -> GenomeRecord | None:
    """The active genome; None before the first."""
    found = genomes_where(tx, *of_slot(layer, domain), IS_ACTIVE)
    return found[0] if found else None


def genomes_where(
    tx: Connection, *conditions: ColumnElement[bool], limit: int | None = None, newest_first: bool = False
) -> list[GenomeRecord]:
    """Genomes that meet the conditions, by id."""
    order = GenomeRow.id.desc() if newest_first else GenomeRow.id
    return [genome_record(row) for row in tx.execute(_GENOME.where(*conditions).order_by(order).limit(limit))]


def genome_record(row: Row[Any]) -> GenomeRecord:
    """The value of a row."""
    return GenomeRecord.model_validate(dict(row._mapping))


def of_slot(layer: str, domain: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Genomes of a layer of a domain, of which one is active."""
    return GenomeRow.layer == layer, GenomeRow.domain == domain


def add_genome(tx: Connection, **values: Any) -> GenomeRecord:
    """A new row."""
    made = tx.execute(insert(GenomeRow).values(**values)).inserted_primary_key
    assert made is not None
    return genome_by_id(tx, made[0])


def swap(tx: Connection, seen: GenomeRecord, now: float, **values: Any) -> GenomeRecord:
    """Change a genome that is still as it was seen; its version grows by one.

    Raises:
        StaleReview: it has another status, version or hash by now, or is gone.
    """
    as_seen = (
        GenomeRow.id == seen.id,
        GenomeRow.status == seen.status.value,
        GenomeRow.version == seen.version,
        GenomeRow.genome_hash == seen.genome_hash,
    )
    changed = tx.execute(update(GenomeRow).where(*as_seen).values(version=seen.version + 1, updated=now, **values))
    if changed.rowcount != 1:
        raise StaleReview(f"genome {seen.id} changed since it was read (version {seen.version}); look at it again")
    return genome_by_id(tx, seen.id)


def add_decision(
    tx: Connection,
    genome: GenomeRecord,
    kind: DecisionKind,
    reviewer: str,
    reason: str,
    now: float,
    replaced: int | None = None,
    report: Mapping[str, Any] | None = None,
) -> Decision:
    """A new decision about a genome, as it was seen before the decision."""
    decision = Decision(
        genome_id=genome.id,
        layer=genome.layer,
        domain=genome.domain,
        kind=kind,
        reviewer=storable(reviewer),
        reason=storable(reason),
        seen_version=genome.version,
        seen_hash=genome.genome_hash,
        replaced=replaced,
        report=dict(report or {}),
        time=now,
    )
    made = tx.execute(insert(DecisionRow).values(decision.model_dump(mode="json", exclude={"id"}))).inserted_primary_key
    assert made is not None
    return decision.model_copy(update={"id": made[0]})


def decisions_where(
    tx: Connection, *conditions: ColumnElement[bool], reports: bool = True, limit: int | None = None
) -> list[Decision]:
    """Decisions that meet the conditions, in order; without ``reports``, their snapshots are not read."""
    columns = [c for c in _DECISION_COLUMNS if reports or c is not DecisionRow.report]
    rows = tx.execute(select(*columns).where(*conditions).order_by(DecisionRow.id).limit(limit))
    return [Decision.model_validate(dict(row._mapping)) for row in rows]


def requesters(tx: Connection, genome_id: int) -> list[str]:
    """Who asked for the genome: everyone whose cycle proposed it."""
    query = (
        select(CycleRow.requester)
        .join(ProposalRow, ProposalRow.cycle_id == CycleRow.id)
        .where(ProposalRow.genome_id == genome_id)
    )
    return sorted(set(tx.execute(query).scalars()))


def genome_submission(tx: Connection, genome_id: int) -> str:
    """The cycle that put a genome before a person last; '' when none did."""
    return tx.execute(select(GenomeRow.submission).where(GenomeRow.id == genome_id)).scalar() or ""


def baseline_refusal(tx: Connection, genome: GenomeRecord, compared_with: str) -> str:
    """Why what was compared with a genome of hash ``compared_with`` says nothing now; '' when that one is active."""
    current = active_genome(tx, genome.layer, genome.domain)
    if current is not None and current.genome_hash == compared_with:
        return ""
    now = "no genome" if current is None else f"genome {current.id} ({current.genome_hash[:12]})"
    return (
        f"genome {genome.id} was compared with {compared_with[:12]}, and {now} is active now; "
        "compare it anew and submit the new report"
    )


def same_person(one: str, other: str) -> bool:
    """Whether two names mean the same person: case, outer blanks and the form of letters do not matter."""
    return _plain(one) == _plain(other)


def moment(time: float) -> str:
    """A time in words: "2026-05-04 12:30 UTC"."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M UTC")


def storable(value: Any) -> Any:
    """A JSON value that both databases give back as it went in.

    PostgreSQL has no NUL in texts and no sign of 0.0 in JSON, and JSON has no infinite numbers.
    """
    match value:
        case float():
            return value + 0.0 if math.isfinite(value) else str(value)  # a float field reads the text back
        case str():
            return value.replace("\x00", "\ufffd")
        case Mapping():
            return {storable(key): storable(item) for key, item in value.items()}
        case list() | tuple():
            return [storable(item) for item in value]
    return value


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()
