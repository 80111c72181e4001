"""Triggers that write down every change of a status and every overspent budget, and what must hold of a ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from iterative_retrieval.evolution.transitions import may_follow
from iterative_retrieval.state.evolution import DecisionKind, GenomeStatus
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.ledger_rows import same_person
from iterative_retrieval.stores.sql import SqlStore
from tests.stores.ledger.desk import DOMAIN, LAYER

_OVER = " OR ".join(f"NEW.held_{kind} > NEW.most_{kind}" for kind in ("calls", "tokens", "micros"))
_SEEN = "INSERT INTO seen_status (genome, was, became) VALUES (NEW.id, {was}, NEW.status)"
_SPENT = "INSERT INTO seen_over (cycle) VALUES (NEW.id)"


def watch(store: SqlStore) -> None:
    """Make the triggers."""
    identity = "INTEGER PRIMARY KEY" if store.is_sqlite else "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    statements = [
        f"CREATE TABLE seen_status (id {identity}, genome INTEGER, was TEXT, became TEXT)",
        f"CREATE TABLE seen_over (id {identity}, cycle TEXT)",
    ]
    make = _sqlite_trigger if store.is_sqlite else _postgresql_trigger
    statements += make("made", "INSERT", "evolution_genome", "true", _SEEN.format(was="NULL"))
    changed = "OLD.status <> NEW.status"
    statements += make("moved", "UPDATE", "evolution_genome", changed, _SEEN.format(was="OLD.status"))
    statements += make("overspent", "UPDATE", "evolution_cycle", _OVER, _SPENT)
    with store.writing() as tx:
        for statement in statements:
            tx.exec_driver_sql(statement)


def check(store: SqlStore, told: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Everything that must hold of the ledger, given what its callers were told; how often things happened."""
    ledger = LedgerService(store)
    with store.reading() as tx:
        moves = [tuple(row) for row in tx.execute(sa.text("SELECT genome, was, became FROM seen_status ORDER BY id"))]
        over = tx.execute(sa.text("SELECT count(*) FROM seen_over")).scalar()
    assert over == 0, "a budget was exceeded"
    assert len(ledger.genomes(LAYER, DOMAIN, GenomeStatus.ACTIVE)) == 1
    _check_moves(ledger, moves)
    _check_decisions(ledger, moves, told)
    _check_spending(store, ledger, told)
    _check_results(ledger, told)
    return Counter(f"{was} -> {became}" for _, was, became in moves)


def _check_moves(ledger: LedgerService, moves: Sequence[tuple[Any, ...]]) -> None:
    """Every genome walked through the machine, and stands where its walk ended."""
    stands: dict[int, GenomeStatus] = {}
    for genome, was, became in moves:
        before = None if was is None else GenomeStatus(was)
        assert before == stands.get(genome)
        assert may_follow(before, GenomeStatus(became)), f"{was} -> {became}"
        stands[genome] = GenomeStatus(became)
    for record in ledger.genomes(LAYER, DOMAIN, limit=10**6):
        assert record.status == stands[record.id]


def _check_decisions(
    ledger: LedgerService, moves: Sequence[tuple[Any, ...]], told: Sequence[Mapping[str, Any]]
) -> None:
    history = ledger.history(LAYER, DOMAIN)
    by_id = {decision.id: decision.model_dump(mode="json") for decision in history}
    promised = [line["decision"] for line in told if line["kind"] == "decision"]
    assert len({decision["id"] for decision in promised}) == len(promised), "two callers own one decision"
    assert all(by_id.get(decision["id"]) == decision for decision in promised), "a decision was lost"
    assert len({(decision.genome_id, decision.seen_version) for decision in history}) == len(history)
    # every step that takes a decision has one, and the other way round
    steps = Counter((genome, move) for genome, was, became in moves for move in _decisive(was, became))
    assert steps == Counter((decision.genome_id, decision.kind.value) for decision in history)
    active = None
    for decision in history:
        if decision.kind in (DecisionKind.ACTIVATE_DEFAULT, DecisionKind.APPROVE, DecisionKind.ROLLBACK):
            assert decision.replaced == active
            active = decision.genome_id
        if decision.kind == DecisionKind.APPROVE:
            requesters = ledger.submission(decision.genome_id).requesters
            assert not any(same_person(name, decision.reviewer) for name in requesters)
    assert ledger.genomes(LAYER, DOMAIN, GenomeStatus.ACTIVE)[0].id == active


def _decisive(was: str | None, became: str) -> list[str]:
    kinds = {kind.value for kind in DecisionKind}
    before = None if was is None else GenomeStatus(was)
    return [move.value for move in may_follow(before, GenomeStatus(became)) if move.value in kinds]


def _check_spending(store: SqlStore, ledger: LedgerService, told: Sequence[Mapping[str, Any]]) -> None:
    for cycle in ledger.cycles(limit=10**6):
        parts = ledger.spending(cycle.id)
        kept = (parts.settled, parts.open, parts.lost)
        assert cycle.spent.calls == sum(part.calls for part in kept)
        assert cycle.spent.tokens == sum(part.tokens for part in kept)
        assert round(cycle.spent.seconds * 1e6) == sum(round(part.seconds * 1e6) for part in kept)
        assert cycle.budget.calls is None or cycle.spent.calls <= cycle.budget.calls
        assert cycle.budget.tokens is None or cycle.spent.tokens <= cycle.budget.tokens
    with store.reading() as tx:
        states = {row.id: row.state for row in tx.execute(sa.text("SELECT id, state FROM evolution_spending"))}
    reserved = [line["reservation"] for line in told if line["kind"] == "reserved"]
    assert len(set(reserved)) == len(reserved)
    assert set(reserved) <= set(states)
    assert all(states[line["reservation"]] == "settled" for line in told if line["kind"] == "settled")


def _check_results(ledger: LedgerService, told: Sequence[Mapping[str, Any]]) -> None:
    deleted = {line["genome"] for line in told if line["kind"] == "deleted"}
    here = {genome.id: genome for genome in ledger.genomes(LAYER, DOMAIN, limit=10**6)}
    assert not deleted & set(here), "a deleted genome is back"
    promised = [(line["genome"], line["query"]) for line in told if line["kind"] == "result"]
    assert len(set(promised)) == len(promised), "two callers were told that theirs is the first result"
    kept = {(genome, row.query_id) for genome in here for row in ledger.results(genome)}
    assert {pair for pair in promised if pair[0] in here} <= kept


def _sqlite_trigger(name: str, event: str, table: str, when: str, then: str) -> list[str]:
    return [f"CREATE TRIGGER seen_{name} AFTER {event} ON {table} WHEN {when} BEGIN {then}; END"]


def _postgresql_trigger(name: str, event: str, table: str, when: str, then: str) -> list[str]:
    body = f"BEGIN {then}; RETURN NULL; END"
    return [
        f"CREATE FUNCTION seen_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$",
        f"CREATE TRIGGER seen_{name} AFTER {event} ON {table} FOR EACH ROW WHEN ({when}) "
        f"EXECUTE FUNCTION seen_{name}()",
    ]
