"""What is decided about genomes: approve, reject, expire, roll back. Each is one transaction with one row of record."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from ..evolution.transitions import Move, after, refusal
from ..state.errors import AlreadyDecided, NotAllowed, StaleReview, UnknownGenome
from ..state.evolution import Decision, DecisionKind, GenomeRecord, GenomeStatus, Review
from .ledger_cycles import cycle_report, decided
from .ledger_proposals import PACKAGE
from .ledger_rows import (
    active_genome,
    add_decision,
    baseline_refusal,
    decisions_where,
    genome_by_id,
    genome_submission,
    moment,
    requesters,
    same_person,
    swap,
)
from .ledger_tables import IS_PENDING, CycleRow, DecisionRow, GenomeRow

REVIEWERS = frozenset({"reviewer", "admin"})
"""Roles that may decide."""

_IN_WORDS = {
    DecisionKind.ACTIVATE_DEFAULT: "made the default",
    DecisionKind.APPROVE: "approved",
    DecisionKind.REJECT: "rejected",
    DecisionKind.EXPIRE: "expired",
    DecisionKind.ROLLBACK: "made active again",
}


def approve(tx: Connection, genome_id: int, review: Review, roles: Collection[str], now: float) -> Decision:
    """Make a genome active in place of the one it was compared with.

    Raises:
        UnknownGenome: there is no such genome.
        AlreadyDecided: somebody decided before; the message says who, what and when.
        NotAllowed: a role is missing, the reviewer asked for the genome, or it was never submitted.
        StaleReview: the genome, its report or the active genome changed since.
    """
    genome = _asked_about(tx, genome_id, review, "approve", roles)
    asked_by = [name for name in requesters(tx, genome_id) if same_person(name, review.reviewer)]
    if asked_by:
        raise NotAllowed(f"{asked_by[0]} asked for genome {genome_id} and cannot approve it; another person must")
    _as_seen(genome, review)
    submission = genome_submission(tx, genome_id)
    report = cycle_report(tx, submission)
    stale = baseline_refusal(tx, genome, report["active_hash"])
    if stale:
        raise StaleReview(stale)
    decision = _activate(tx, genome, DecisionKind.APPROVE, review.reviewer, review.reason, now, report)
    decided(tx, submission, f"genome {genome_id} {_told(decision)}", now)
    return decision


def reject(tx: Connection, genome_id: int, review: Review, roles: Collection[str], now: float) -> Decision:
    """Turn a genome down, with a reason. Who asked for it may.

    Raises:
        UnknownGenome: there is no such genome.
        AlreadyDecided: somebody decided before; the message says who, what and when.
        NotAllowed: a role or the reason is missing, or the genome was never submitted.
        StaleReview: the genome or its report changed since.
    """
    genome = _asked_about(tx, genome_id, review, "reject", roles)
    if not review.reason.strip():
        raise NotAllowed("a rejection needs a reason: the next cycle learns from it")
    _as_seen(genome, review)
    return _end(tx, genome, DecisionKind.REJECT, review.reviewer, review.reason, now)


def expire_due(tx: Connection, now: float) -> list[Decision]:
    """End the pending approvals whose time is over."""
    query = (
        select(GenomeRow.id, CycleRow.expires)
        .join(CycleRow, CycleRow.id == GenomeRow.submission)
        .where(IS_PENDING, CycleRow.expires <= now)
        .order_by(GenomeRow.id)
    )
    return [
        _end(
            tx,
            genome_by_id(tx, row.id),
            DecisionKind.EXPIRE,
            PACKAGE,
            f"nobody decided until {moment(row.expires)}",
            now,
        )
        for row in tx.execute(query).all()
    ]


def rollback(
    tx: Connection,
    layer: str,
    domain: str,
    reviewer: str,
    reason: str,
    roles: Collection[str],
    to: int | None,
    seen: int | None,
    now: float,
) -> Decision:
    """Make the genome that was active before active again, or the retired one of id ``to``.

    Rolling back twice goes back two steps, not forth again. seen: id of the active genome that the reviewer saw.

    Raises:
        UnknownGenome: the layer has no active genome, or there is no genome ``to`` in it.
        NotAllowed: a role or the reason is missing, there is nothing to go back to, or ``to`` is not retired.
        StaleReview: another genome than ``seen`` is active.
    """
    _has_role(roles)
    if not reviewer.strip() or not reason.strip():
        raise NotAllowed("a rollback needs who asks for it and a reason")
    current = active_genome(tx, layer, domain)
    if current is None:
        raise UnknownGenome(f"{layer} of {domain!r} has no active genome in the ledger")
    if seen is not None and seen != current.id:
        raise StaleReview(f"genome {current.id} is active by now, not {seen}; look again before you roll back")
    genome = genome_by_id(tx, to) if to is not None else _previous(tx, current)
    if (genome.layer, genome.domain) != (current.layer, current.domain):
        raise UnknownGenome(f"genome {genome.id} belongs to {genome.layer} of {genome.domain!r}")
    return _activate(tx, genome, DecisionKind.ROLLBACK, reviewer, reason, now, {})


def _asked_about(tx: Connection, genome_id: int, review: Review, decision: str, roles: Collection[str]) -> GenomeRecord:
    """The pending genome that a review is about."""
    _has_role(roles)
    if not review.reviewer.strip():
        raise NotAllowed("a decision needs the name of who decides")
    if review.decision != decision:
        raise NotAllowed(f"the review says {review.decision}, not {decision}")
    genome = genome_by_id(tx, genome_id)
    reason = refusal(genome.status, Move(decision))
    if not reason:
        return genome
    about = decisions_where(tx, DecisionRow.genome_id == genome_id, reports=False)
    if not about or genome.status in (GenomeStatus.CANDIDATE, GenomeStatus.EVALUATED):
        raise NotAllowed(f"genome {genome_id}: {reason}")
    raise AlreadyDecided(f"genome {genome_id} was {_told(about[-1])}; the decision stands")


def _told(decision: Decision) -> str:
    why = f": {decision.reason}" if decision.reason else ""
    return f"{_IN_WORDS[decision.kind]} by {decision.reviewer} on {moment(decision.time)}{why}"


def _has_role(roles: Collection[str]) -> None:
    if REVIEWERS.isdisjoint(roles):
        raise NotAllowed(f"only a {' or '.join(sorted(REVIEWERS, reverse=True))} may decide")


def _as_seen(genome: GenomeRecord, review: Review) -> None:
    if (genome.version, genome.genome_hash) != (review.version, review.genome_hash):
        raise StaleReview(
            f"genome {genome.id} is at version {genome.version} ({genome.genome_hash[:12]}), the review is of version "
            f"{review.version} ({review.genome_hash[:12]}); look at it again"
        )


def _activate(
    tx: Connection,
    genome: GenomeRecord,
    kind: DecisionKind,
    reviewer: str,
    reason: str,
    now: float,
    report: dict[str, object],
) -> Decision:
    """Make a genome active in place of the current one."""
    status = after(genome.status, Move(kind.value))
    current = active_genome(tx, genome.layer, genome.domain)
    if current is not None:
        swap(tx, current, now, status=after(current.status, Move.REPLACE).value)
    swap(tx, genome, now, status=status.value)
    return add_decision(tx, genome, kind, reviewer, reason, now, None if current is None else current.id, report)


def _end(tx: Connection, genome: GenomeRecord, kind: DecisionKind, reviewer: str, reason: str, now: float) -> Decision:
    """End what was asked about a genome without making it active."""
    submission = genome_submission(tx, genome.id)
    swap(tx, genome, now, status=after(genome.status, Move(kind.value)).value)
    decision = add_decision(tx, genome, kind, reviewer, reason, now, report=cycle_report(tx, submission))
    decided(tx, submission, f"genome {genome.id} {_told(decision)}", now)
    return decision


def _previous(tx: Connection, current: GenomeRecord) -> GenomeRecord:
    """The genome that was active before the current one, leaving out what was rolled back."""
    trail: list[int] = []
    of_slot = (DecisionRow.layer == current.layer, DecisionRow.domain == current.domain)
    for decision in decisions_where(tx, *of_slot, reports=False):
        match decision.kind:
            case DecisionKind.ACTIVATE_DEFAULT | DecisionKind.APPROVE:
                trail.append(decision.genome_id)
            case DecisionKind.ROLLBACK:
                back = decision.genome_id in trail
                trail = trail[: trail.index(decision.genome_id) + 1] if back else [*trail, decision.genome_id]
    if len(trail) < 2:
        raise NotAllowed(
            f"{current.layer} of {current.domain!r}: genome {current.id} is the first; nothing to go back to"
        )
    return genome_by_id(tx, trail[-2])
