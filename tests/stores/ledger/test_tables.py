"""What the database itself refuses, whoever writes into it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy.exc import IntegrityError

import iterative_retrieval.stores
from iterative_retrieval.stores.ledger_tables import GenomeRow
from iterative_retrieval.stores.sql import SqlStore
from tests.stores.ledger.desk import Desk, approval, rejection, result

ROLES = {"admin"}


def refused(store: SqlStore, statement: str, told: str) -> None:
    with pytest.raises(IntegrityError, match=told), store.writing() as tx:
        tx.execute(sa.text(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE evolution_decision SET reviewer = 'eve'",
        "UPDATE evolution_decision SET reason = reason",
        "DELETE FROM evolution_decision",
        "DELETE FROM evolution_decision WHERE id = 1",
    ],
)
def test_a_decision_cannot_be_changed_or_deleted(desk: Desk, statement: str) -> None:
    before = list(desk.ledger.export())
    refused(desk.store, statement, "decisions are kept as they are")
    assert list(desk.ledger.export()) == before


def test_a_decision_cannot_be_replaced_or_truncated(desk: Desk) -> None:
    if desk.store.is_sqlite:
        copy = "INSERT OR REPLACE INTO evolution_decision SELECT * FROM evolution_decision WHERE id = 1"
        refused(desk.store, copy, "decisions are kept as they are")
    else:
        refused(desk.store, "TRUNCATE evolution_decision", "decisions are kept as they are")


def test_a_submitted_genome_cannot_be_deleted_by_anyone(desk: Desk) -> None:
    genome = desk.pending(1)
    refused(desk.store, f"DELETE FROM evolution_genome WHERE id = {genome.id}", "was put before a person is kept")
    desk.ledger.reject(genome.id, rejection(genome), ROLES)
    refused(desk.store, f"DELETE FROM evolution_genome WHERE id = {genome.id}", "was put before a person is kept")


def test_a_genome_with_a_decision_cannot_be_deleted(desk: Desk) -> None:
    refused(desk.store, f"DELETE FROM evolution_genome WHERE id = {desk.default.id}", "(?i)foreign key")


def test_a_second_active_genome_is_refused(desk: Desk) -> None:
    genome = desk.candidate(1)
    refused(desk.store, f"UPDATE evolution_genome SET status = 'active' WHERE id = {genome.id}", "(?i)unique")


def test_an_unknown_status_is_refused(desk: Desk) -> None:
    refused(desk.store, "UPDATE evolution_genome SET status = 'approved'", "ck_evolution_genome_status")
    desk.cycle()
    refused(desk.store, "UPDATE evolution_cycle SET state = 'lost'", "ck_evolution_cycle_state")
    desk.ledger.reserve("c-1", result(desk.default).cost)
    refused(desk.store, "UPDATE evolution_spending SET state = 'gone'", "ck_evolution_spending_state")


def test_a_long_response_or_an_odd_score_is_refused(desk: Desk) -> None:
    desk.ledger.record_result(result(desk.default, response="é" * 2000))
    long = f"UPDATE evolution_eval_result SET response = '{'x' * 2001}'"
    refused(desk.store, long, "ck_evolution_eval_result_response_length")
    refused(desk.store, "UPDATE evolution_eval_result SET judge_score = 10.5", "ck_evolution_eval_result_judge_score")


def test_genomes_are_jsonb_on_postgresql_and_json_on_sqlite(desk: Desk) -> None:
    column = next(c for c in sa.inspect(desk.store.engine).get_columns("evolution_genome") if c["name"] == "genome")
    assert str(column["type"]) == ("JSON" if desk.store.is_sqlite else "JSONB")


def test_the_migration_makes_the_tables_that_the_code_knows(desk: Desk) -> None:
    with desk.store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert [change for change in compare_metadata(context, GenomeRow.metadata) if "evolution_" in str(change)] == []
        found = sa.inspect(connection)
        for name in [name for name in GenomeRow.metadata.tables if name.startswith("evolution_")]:
            expected = {
                c.name for c in GenomeRow.metadata.tables[name].constraints if isinstance(c, sa.CheckConstraint)
            }
            assert {check["name"] for check in found.get_check_constraints(name)} == expected


def test_the_active_genomes_of_a_domain_are_found_by_their_index(empty_file: Path) -> None:
    desk = Desk(SqlStore(shutil.copy(empty_file, empty_file.with_name("copy.sqlite"))))  # PostgreSQL scans small tables
    asked: list[str] = []
    sa.event.listen(desk.store.engine, "before_cursor_execute", lambda *call: asked.append(call[2]))
    desk.ledger.epoch("docs")
    (query,) = [statement for statement in asked if "evolution_genome" in statement]
    with desk.store.reading() as tx:
        plan = str(tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", ("docs",)).all())
    assert "uq_evolution_genome_active (domain=?)" in plan


def test_a_genome_approved_between_two_looks_is_refused_by_the_index_too(desk: Desk) -> None:
    desk.approved(1, "c-1")
    genome = desk.pending(2, "c-2")
    desk.ledger.approve(genome.id, approval(genome), ROLES)
    refused(desk.store, "UPDATE evolution_genome SET status = 'active' WHERE status = 'retired'", "(?i)unique")


def test_the_tables_can_be_taken_back_and_made_again(desk: Desk, place: str) -> None:
    desk.approved(1, "c-1")
    config = Config()
    config.set_main_option("script_location", str(Path(iterative_retrieval.stores.__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    with desk.store.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
    assert [name for name in sa.inspect(desk.store.engine).get_table_names() if "evolution" in name] == []
    desk.store.close()
    again = Desk(SqlStore(place))
    assert again.approved(1, "c-1").genome_id == 2
    again.store.close()
