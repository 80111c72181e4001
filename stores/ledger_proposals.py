"""How genomes come into the ledger, and how those that nobody was asked about leave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, delete, insert

from ..evolution.defaults import genome_hash, parse_genome
from ..evolution.transitions import Move, after, deletion_refusal, refusal, standing
from ..state.errors import InvalidGenome, NotAllowed
from ..state.evolution import (
    Cost,
    DecisionKind,
    GenomeRecord,
    GenomeStatus,
    Mutation,
    MutationKind,
)
from ..state.ledger_ports import CycleRecord
from .ledger_cycles import UNDER_WAY, cycle_by_id, proposed_by, touch
from .ledger_rows import (
    active_genome,
    add_decision,
    add_genome,
    decisions_where,
    genome_by_hash,
    genome_by_id,
    moment,
    storable,
    swap,
)
from .ledger_tables import DecisionRow, GenomeRow, ProposalRow

PACKAGE = "iterative-retrieval"
"""Who decides when no person does."""


def ensure_default(
    tx: Connection, layer: str, domain: str, genome: BaseModel | Mapping[str, Any], now: float
) -> GenomeRecord:
    """The active genome; ``genome`` becomes it when there is none, or when only an older default is active.

    What a person approved, or rolled back to, stays; so does everything once a newer default was there, so that two
    versions of the package beside each other do not take turns.
    """
    genes, digest = canonical(layer, genome)
    current = active_genome(tx, layer, domain)
    if current is not None and not _gives_way(tx, current, digest):
        return current
    values = _new_genome(layer, domain, genes, digest, now)
    if current is not None:
        swap(tx, current, now, status=after(current.status, Move.REPLACE).value)
    default = add_genome(tx, **values, status=after(None, Move.ACTIVATE_DEFAULT).value)
    replaced = None if current is None else current.id
    add_decision(tx, default, DecisionKind.ACTIVATE_DEFAULT, PACKAGE, "the default of the package", now, replaced)
    return default


def propose(tx: Connection, cycle_id: str, mutation: Mutation, now: float) -> GenomeRecord:
    """A candidate of a cycle.

    Genes that are in the ledger already are not stored twice. The cycle that proposed them gets its row again; a
    candidate or evaluated genome of a cycle that is over is taken up with its results; an expired one becomes a
    candidate again. Everything else is refused.

    Raises:
        UnknownGenome: there is no such cycle.
        NotAllowed: the cycle is over, its layer has no active genome, or the genes are taken.
        InvalidGenome: a gene is unknown or out of bounds.
    """
    touch(tx, cycle_id, now)
    cycle = cycle_by_id(tx, cycle_id)
    genes, digest = canonical(cycle.layer, mutation.genome)
    if active_genome(tx, cycle.layer, cycle.domain) is None:
        raise NotAllowed(f"{cycle.layer} of {cycle.domain} has no active genome to compare with; ensure_default first")
    found = genome_by_hash(tx, cycle.layer, cycle.domain, digest)
    if found is not None and cycle_id in proposed_by(tx, found):
        return found
    found = _add_candidate(tx, cycle, mutation, genes, digest, now) if found is None else _taken_up(tx, found, now)
    tx.execute(insert(ProposalRow).values(cycle_id=cycle_id, genome_id=found.id, time=now, **_origin(mutation)))
    return found


def delete_genome(tx: Connection, genome_id: int) -> None:
    """Delete a genome that no person was asked about; its results go with it.

    Raises:
        UnknownGenome: there is no such genome.
        NotAllowed: it is kept for the record, or a cycle is at work on it.
    """
    genome = genome_by_id(tx, genome_id)
    reason = deletion_refusal(genome.status, genome.submitted)
    if reason:
        raise NotAllowed(f"genome {genome_id} is not deleted: {reason}")
    busy = proposed_by(tx, genome, UNDER_WAY)
    if busy:
        raise NotAllowed(f"genome {genome_id} is not deleted: cycle {busy[0]} is at work on it; wait for its end")
    tx.execute(delete(GenomeRow).where(GenomeRow.id == genome_id))


def canonical(layer: str, genome: BaseModel | Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """All genes of a validated genome, and their hash.

    Raises:
        InvalidGenome: a gene is unknown, out of bounds, or holds a NUL character.
    """
    parsed = parse_genome(layer, genome.model_dump() if isinstance(genome, BaseModel) else dict(genome))
    genes: dict[str, Any] = storable(parsed.model_dump(mode="json"))
    if genes != parsed.model_dump(mode="json"):
        raise InvalidGenome(f"{layer} genome: a text holds a NUL character; remove it")
    return genes, genome_hash(parse_genome(layer, genes))


def _gives_way(tx: Connection, current: GenomeRecord, digest: str) -> bool:
    """Whether the active genome is there only because it was the default, and the new default was never here."""
    if genome_by_hash(tx, current.layer, current.domain, digest) is not None:
        return False
    made_active = (DecisionKind.ACTIVATE_DEFAULT.value, DecisionKind.APPROVE.value, DecisionKind.ROLLBACK.value)
    about = (DecisionRow.genome_id == current.id, DecisionRow.kind.in_(made_active))
    return decisions_where(tx, *about, reports=False)[-1].kind == DecisionKind.ACTIVATE_DEFAULT


def _taken_up(tx: Connection, genome: GenomeRecord, now: float) -> GenomeRecord:
    """A genome that another cycle proposed, for this one."""
    busy = proposed_by(tx, genome, UNDER_WAY)
    if busy:
        raise NotAllowed(f"genome {genome.id} has the same genes, and cycle {busy[0]} is at work on it")
    if genome.status in (GenomeStatus.CANDIDATE, GenomeStatus.EVALUATED):
        return genome
    if refusal(genome.status, Move.PROPOSE):
        raise NotAllowed(f"genome {genome.id} has the same genes: {standing(genome.status)}{_last_word(tx, genome)}")
    return swap(tx, genome, now, status=after(genome.status, Move.PROPOSE).value, score=None)


def _last_word(tx: Connection, genome: GenomeRecord) -> str:
    found = decisions_where(tx, DecisionRow.genome_id == genome.id, reports=False)
    return (
        f" ({found[-1].reviewer}, {moment(found[-1].time)}: {found[-1].reason or 'no reason given'})" if found else ""
    )


def _add_candidate(
    tx: Connection, cycle: CycleRecord, mutation: Mutation, genes: dict[str, Any], digest: str, now: float
) -> GenomeRecord:
    parent = genome_by_hash(tx, cycle.layer, cycle.domain, mutation.parents[0]) if mutation.parents else None
    values = _new_genome(cycle.layer, cycle.domain, genes, digest, now) | _origin(mutation)
    values |= {"parent": None if parent is None else parent.id, "requester": cycle.requester, "cycle": cycle.id}
    values["eval_seed_prompt"] = storable(mutation.eval_seed_prompt)
    return add_genome(tx, **values, status=after(None, Move.PROPOSE).value)


def _new_genome(layer: str, domain: str, genes: dict[str, Any], digest: str, now: float) -> dict[str, Any]:
    return {
        **{"layer": layer, "domain": domain, "genome": genes, "genome_hash": digest, "score": None, "version": 1},
        **{"parent": None, "parents": [], "notes": "", "mutation": MutationKind.DEFAULT.value, "eval_seed_prompt": ""},
        **{"submitted": False, "submission": "", "requester": "", "cycle": "", "created": now, "updated": now},
        "cost": Cost().model_dump(mode="json"),
    }


def _origin(mutation: Mutation) -> dict[str, Any]:
    return {"parents": mutation.parents, "notes": storable(mutation.notes), "mutation": mutation.kind.value}
