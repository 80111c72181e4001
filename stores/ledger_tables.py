"""The tables of evolution: genomes, results, decisions, cycles and what they spend.

Times are unix seconds. What PostgreSQL and SQLite refuse by trigger (changed decisions, deleted submissions) is in the
migration that makes these tables.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, ColumnElement, ForeignKey, Index, Text, UniqueConstraint, literal_column, text
from sqlalchemy.orm import Mapped, mapped_column

from ..state.evolution import DecisionKind, GenomeStatus
from ..state.ledger_ports import CycleState
from .tables import Base, Json, LongId

RESPONSE_LENGTH = 2000
"""Most characters of a response that are kept."""


class SpendingState(StrEnum):
    """open: its call is under way. settled: its call said what it took. lost: the process died; it counts in full."""

    OPEN = "open"
    SETTLED = "settled"
    LOST = "lost"


def one_of(column: str, values: type[StrEnum]) -> str:
    """SQL: the column holds one of the values."""
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


_ACTIVE = text("status = 'active'")
_PENDING = text("status = 'pending_approval'")
_MEASUREMENT = "uq_evolution_eval_result_measurement"  # PostgreSQL cuts longer names


class GenomeRow(Base):
    """One ``GenomeRecord``. parent: id of the first of ``parents`` (hashes), None when it is not here.

    submission: the cycle that put it before a person last, '' when none did. An id is never used again.
    """

    __tablename__ = "evolution_genome"
    __table_args__ = (
        UniqueConstraint("layer", "domain", "genome_hash"),
        CheckConstraint(one_of("status", GenomeStatus), name="status"),
        Index(
            "uq_evolution_genome_active", "domain", "layer", unique=True, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE
        ),
        Index("ix_evolution_genome_pending", "submission", sqlite_where=_PENDING, postgresql_where=_PENDING),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    layer: Mapped[str] = mapped_column(Text)
    domain: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    genome: Mapped[dict[str, Any]] = mapped_column(Json)
    genome_hash: Mapped[str] = mapped_column(Text)
    score: Mapped[float | None]
    parent: Mapped[int | None] = mapped_column(ForeignKey("evolution_genome.id", ondelete="SET NULL"), index=True)
    parents: Mapped[list[str]] = mapped_column(Json)
    notes: Mapped[str] = mapped_column(Text)
    mutation: Mapped[str] = mapped_column(Text)
    eval_seed_prompt: Mapped[str] = mapped_column(Text)
    version: Mapped[int]
    submitted: Mapped[bool]
    submission: Mapped[str] = mapped_column(Text)
    requester: Mapped[str] = mapped_column(Text)
    cycle: Mapped[str] = mapped_column(Text)
    created: Mapped[float]
    updated: Mapped[float]
    cost: Mapped[dict[str, Any]] = mapped_column(Json)


# Spelled out, not as parameters: SQLite uses a partial index only for conditions that it can read.
IS_ACTIVE: ColumnElement[bool] = GenomeRow.status == literal_column("'active'")
IS_PENDING: ColumnElement[bool] = GenomeRow.status == literal_column("'pending_approval'")


class ProposalRow(Base):
    """A cycle proposed a genome. Several may propose the same genes: none of their requesters may approve them."""

    __tablename__ = "evolution_proposal"
    __table_args__ = (UniqueConstraint("cycle_id", "genome_id"),)

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    cycle_id: Mapped[str] = mapped_column(ForeignKey("evolution_cycle.id"))
    genome_id: Mapped[int] = mapped_column(ForeignKey("evolution_genome.id", ondelete="CASCADE"), index=True)
    parents: Mapped[list[str]] = mapped_column(Json)
    notes: Mapped[str] = mapped_column(Text)
    mutation: Mapped[str] = mapped_column(Text)
    time: Mapped[float]


class ResultRow(Base):
    """One ``EvalResult``.

    A genome's id stands for layer, domain and hash (unique there), so the unique key says: these genes, run on this
    domain, for this query, by this version of this judge, this often. The pool is not part of it: when pools are cut
    anew, a measurement stays what it is and is not paid again. Whatever changes a measurement belongs into
    ``judge_version``.
    """

    __tablename__ = "evolution_eval_result"
    __table_args__ = (
        UniqueConstraint("genome_id", "query_id", "judge", "judge_version", "repeat", name=_MEASUREMENT),
        CheckConstraint(f"length(response) <= {RESPONSE_LENGTH}", name="response_length"),
        CheckConstraint("judge_score >= 0 AND judge_score <= 10", name="judge_score"),
    )

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    genome_id: Mapped[int] = mapped_column(ForeignKey("evolution_genome.id", ondelete="CASCADE"))
    genome_hash: Mapped[str] = mapped_column(Text)
    query_id: Mapped[str] = mapped_column(Text)
    query: Mapped[str] = mapped_column(Text)
    pool: Mapped[str] = mapped_column(Text)
    repeat: Mapped[int]
    judge: Mapped[str] = mapped_column(Text)
    judge_version: Mapped[str] = mapped_column(Text)
    response: Mapped[str] = mapped_column(Text)
    judge_score: Mapped[float | None]
    metrics: Mapped[dict[str, Any]] = mapped_column(Json)
    objectives: Mapped[dict[str, Any]] = mapped_column(Json)
    judge_reasoning: Mapped[str] = mapped_column(Text)
    judge_response: Mapped[str] = mapped_column(Text)
    slice: Mapped[str] = mapped_column(Text)
    cluster: Mapped[str] = mapped_column(Text)
    cost: Mapped[dict[str, Any]] = mapped_column(Json)
    time: Mapped[float]


class DecisionRow(Base):
    """One ``Decision``; rows are added and nothing else. A genome with a decision cannot be deleted."""

    __tablename__ = "evolution_decision"
    __table_args__ = (
        CheckConstraint(one_of("kind", DecisionKind), name="kind"),
        Index(None, "layer", "domain"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    genome_id: Mapped[int] = mapped_column(ForeignKey("evolution_genome.id"), index=True)
    layer: Mapped[str] = mapped_column(Text)
    domain: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    reviewer: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    seen_version: Mapped[int]
    seen_hash: Mapped[str] = mapped_column(Text)
    replaced: Mapped[int | None] = mapped_column(ForeignKey("evolution_genome.id"))
    report: Mapped[dict[str, Any]] = mapped_column(Json)
    time: Mapped[float]


class CycleRow(Base):
    """One ``CycleRecord``. most_*: its budget, None for no limit. held_*: what is settled, reserved or lost.

    Seconds are kept as whole microseconds: sums of them are exact. report: a ``GateReport``, {} when there is none.
    """

    __tablename__ = "evolution_cycle"
    __table_args__ = (CheckConstraint(one_of("state", CycleState), name="state"), Index(None, "state"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    layer: Mapped[str] = mapped_column(Text)
    domain: Mapped[str] = mapped_column(Text)
    requester: Mapped[str] = mapped_column(Text)
    seed: Mapped[int] = mapped_column(LongId)
    most_calls: Mapped[int | None] = mapped_column(LongId)
    most_tokens: Mapped[int | None] = mapped_column(LongId)
    most_micros: Mapped[int | None] = mapped_column(LongId)
    held_calls: Mapped[int] = mapped_column(LongId)
    held_tokens: Mapped[int] = mapped_column(LongId)
    held_micros: Mapped[int] = mapped_column(LongId)
    pools: Mapped[dict[str, Any]] = mapped_column(Json)
    state: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    report: Mapped[dict[str, Any]] = mapped_column(Json)
    expires: Mapped[float | None]
    created: Mapped[float]
    updated: Mapped[float]
    finished: Mapped[float | None]


class SpendingRow(Base):
    """One reservation. calls, tokens, micros: what counts now; reserved: what was set aside, a ``Cost``."""

    __tablename__ = "evolution_spending"
    __table_args__ = (CheckConstraint(one_of("state", SpendingState), name="state"), Index(None, "cycle_id", "state"))

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    cycle_id: Mapped[str] = mapped_column(ForeignKey("evolution_cycle.id"))
    purpose: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    calls: Mapped[int] = mapped_column(LongId)
    tokens: Mapped[int] = mapped_column(LongId)
    micros: Mapped[int] = mapped_column(LongId)
    reserved: Mapped[dict[str, Any]] = mapped_column(Json)
    opened: Mapped[float]
    closed: Mapped[float | None]
