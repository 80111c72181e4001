"""Evolution: genomes, their results, decisions that cannot be changed, cycles and what they spend."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_TABLES = ("spending", "decision", "eval_result", "proposal", "genome", "cycle")

_STATUS = "'candidate', 'evaluated', 'pending_approval', 'active', 'rejected', 'expired', 'retired'"
_KIND = "'activate_default', 'approve', 'reject', 'expire', 'rollback'"
_CYCLE = "'running', 'waiting', 'decided', 'finished', 'failed', 'interrupted'"
_SPENDING = "'open', 'settled', 'lost'"

_KEPT = "decisions are kept as they are; a change of mind is a new decision"
_SUBMITTED = "a genome that was put before a person is kept"


def upgrade() -> None:
    """Create the tables of evolution, and what guards them."""
    _create_cycles()
    _create_genomes()
    _create_results()
    _create_decisions()
    if op.get_bind().dialect.name == "postgresql":
        _guard_on_postgresql()
    else:
        _guard_on_sqlite()


def downgrade() -> None:
    """Drop them."""
    for table in _TABLES:
        op.drop_table(f"evolution_{table}")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION evolution_refuse()")


def _create_cycles() -> None:
    op.create_table(
        "evolution_cycle",
        *_texts("id", "layer", "domain", "requester"),
        *_longs("seed"),
        *_longs("most_calls", "most_tokens", "most_micros", nullable=True),
        *_longs("held_calls", "held_tokens", "held_micros"),
        *_jsons("pools"),
        *_texts("state", "note"),
        *_jsons("report"),
        *_numbers("expires", nullable=True),
        *_numbers("created", "updated"),
        *_numbers("finished", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_evolution_cycle"),
        sa.CheckConstraint(f"state IN ({_CYCLE})", name=op.f("ck_evolution_cycle_state")),
    )
    _index("cycle", "state")
    op.create_table(
        "evolution_spending",
        sa.Column("id", _LONG, nullable=False),
        *_texts("cycle_id", "purpose", "state"),
        *_longs("calls", "tokens", "micros"),
        *_jsons("reserved"),
        *_numbers("opened"),
        *_numbers("closed", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_evolution_spending"),
        _foreign("spending", "cycle_id", "cycle"),
        sa.CheckConstraint(f"state IN ({_SPENDING})", name=op.f("ck_evolution_spending_state")),
    )
    _index("spending", "cycle_id", "state")


def _create_genomes() -> None:
    op.create_table(
        "evolution_genome",
        sa.Column("id", sa.Integer(), nullable=False),
        *_texts("layer", "domain", "status"),
        *_jsons("genome"),
        *_texts("genome_hash"),
        *_numbers("score", nullable=True),
        sa.Column("parent", sa.Integer(), nullable=True),
        *_jsons("parents"),
        *_texts("notes", "mutation", "eval_seed_prompt"),
        *_integers("version"),
        sa.Column("submitted", sa.Boolean(), nullable=False),
        *_texts("submission", "requester", "cycle"),
        *_numbers("created", "updated"),
        *_jsons("cost"),
        sa.PrimaryKeyConstraint("id", name="pk_evolution_genome"),
        _foreign("genome", "parent", "genome", "SET NULL"),
        sa.UniqueConstraint("layer", "domain", "genome_hash", name="uq_evolution_genome_layer_domain_genome_hash"),
        sa.CheckConstraint(f"status IN ({_STATUS})", name=op.f("ck_evolution_genome_status")),
        sqlite_autoincrement=True,
    )
    active = sa.text("status = 'active'")
    op.create_index(
        "uq_evolution_genome_active",
        "evolution_genome",
        ["domain", "layer"],
        unique=True,
        sqlite_where=active,
        postgresql_where=active,
    )
    pending = sa.text("status = 'pending_approval'")
    op.create_index(
        "ix_evolution_genome_pending",
        "evolution_genome",
        ["submission"],
        sqlite_where=pending,
        postgresql_where=pending,
    )
    _index("genome", "parent")
    op.create_table(
        "evolution_proposal",
        sa.Column("id", _LONG, nullable=False),
        *_texts("cycle_id"),
        *_integers("genome_id"),
        *_jsons("parents"),
        *_texts("notes", "mutation"),
        *_numbers("time"),
        sa.PrimaryKeyConstraint("id", name="pk_evolution_proposal"),
        _foreign("proposal", "cycle_id", "cycle"),
        _foreign("proposal", "genome_id", "genome", "CASCADE"),
        sa.UniqueConstraint("cycle_id", "genome_id", name="uq_evolution_proposal_cycle_id_genome_id"),
    )
    _index("proposal", "genome_id")


def _create_results() -> None:
    op.create_table(
        "evolution_eval_result",
        sa.Column("id", _LONG, nullable=False),
        *_integers("genome_id"),
        *_texts("genome_hash", "query_id", "query", "pool"),
        *_integers("repeat"),
        *_texts("judge", "judge_version", "response"),
        *_numbers("judge_score", nullable=True),
        *_jsons("metrics", "objectives"),
        *_texts("judge_reasoning", "judge_response", "slice", "cluster"),
        *_jsons("cost"),
        *_numbers("time"),
        sa.PrimaryKeyConstraint("id", name="pk_evolution_eval_result"),
        _foreign("eval_result", "genome_id", "genome", "CASCADE"),
        sa.UniqueConstraint(
            *("genome_id", "query_id", "judge", "judge_version", "repeat"),
            name="uq_evolution_eval_result_measurement",  # PostgreSQL cuts longer names
        ),
        sa.CheckConstraint("length(response) <= 2000", name=op.f("ck_evolution_eval_result_response_length")),
        sa.CheckConstraint("judge_score >= 0 AND judge_score <= 10", name=op.f("ck_evolution_eval_result_judge_score")),
    )


def _create_decisions() -> None:
    op.create_table(
        "evolution_decision",
        sa.Column("id", sa.Integer(), nullable=False),
        *_integers("genome_id"),
        *_texts("layer", "domain", "kind", "reviewer", "reason"),
        *_integers("seen_version"),
        *_texts("seen_hash"),
        sa.Column("replaced", sa.Integer(), nullable=True),
        *_jsons("report"),
        *_numbers("time"),
        sa.PrimaryKeyConstraint("id", name="pk_evolution_decision"),
        _foreign("decision", "genome_id", "genome"),
        _foreign("decision", "replaced", "genome"),
        sa.CheckConstraint(f"kind IN ({_KIND})", name=op.f("ck_evolution_decision_kind")),
        sqlite_autoincrement=True,
    )
    _index("decision", "layer", "domain")
    _index("decision", "genome_id")


def _guard_on_sqlite() -> None:
    for event in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER evolution_decision_no_{event.lower()} BEFORE {event} ON evolution_decision "
            f"BEGIN SELECT RAISE(ABORT, '{_KEPT}'); END"
        )
    op.execute(  # INSERT OR REPLACE deletes without asking the trigger above
        "CREATE TRIGGER evolution_decision_no_replace BEFORE INSERT ON evolution_decision "
        "WHEN EXISTS (SELECT 1 FROM evolution_decision WHERE id = NEW.id) "
        f"BEGIN SELECT RAISE(ABORT, '{_KEPT}'); END"
    )
    op.execute(
        "CREATE TRIGGER evolution_genome_no_delete BEFORE DELETE ON evolution_genome WHEN OLD.submitted "
        f"BEGIN SELECT RAISE(ABORT, '{_SUBMITTED}'); END"
    )


def _guard_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION evolution_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    for event, each in (("UPDATE", "ROW"), ("DELETE", "ROW"), ("TRUNCATE", "STATEMENT")):
        op.execute(
            f"CREATE TRIGGER evolution_decision_no_{event.lower()} BEFORE {event} ON evolution_decision "
            f"FOR EACH {each} EXECUTE FUNCTION evolution_refuse('{_KEPT}')"
        )
    op.execute(
        "CREATE TRIGGER evolution_genome_no_delete BEFORE DELETE ON evolution_genome "
        f"FOR EACH ROW WHEN (OLD.submitted) EXECUTE FUNCTION evolution_refuse('{_SUBMITTED}')"
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _jsons(*names: str) -> list[sa.Column[object]]:
    return [sa.Column(name, _JSON, nullable=False) for name in names]


def _integers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer(), nullable=False) for name in names]


def _longs(*names: str, nullable: bool = False) -> list[sa.Column[int]]:
    return [sa.Column(name, _LONG, nullable=nullable) for name in names]


def _numbers(*names: str, nullable: bool = False) -> list[sa.Column[float]]:
    return [sa.Column(name, sa.Double(), nullable=nullable) for name in names]


def _foreign(table: str, column: str, target: str, gone: str | None = None) -> sa.ForeignKeyConstraint:
    name = f"fk_evolution_{table}_{column}_evolution_{target}"
    return sa.ForeignKeyConstraint([column], [f"evolution_{target}.id"], name=name, ondelete=gone)


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_evolution_{table}_{'_'.join(columns)}", f"evolution_{table}", list(columns))
