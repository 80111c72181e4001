"""Collections, their documents and pending work; the answer cache; the request log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Create the first tables."""
    _create_collections()
    _create_cache()
    _create_log()


def downgrade() -> None:
    """Drop them."""
    for table in (
        *("chunk", "document", "journal", "embedding", "counter", "collection"),
        *("cache_evidence", "cache_entry", "cache_decision", "request_log"),
    ):
        op.drop_table(table)


def _create_collections() -> None:
    op.create_table(
        "collection",
        _id(sa.Integer()),
        *_texts("uid", "name", "domain"),
        _integer("version"),
        *_texts("embedder"),
        _integer("dimension"),
        *_texts("space", "next_embedder"),
        _integer("next_dimension"),
        *_texts("next_space", "lexical"),
        _integer("lexical_version"),
        sa.PrimaryKeyConstraint("id", name="pk_collection"),
        sa.UniqueConstraint("name", name="uq_collection_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "document",
        _id(sa.Integer()),
        _integer("collection_id"),
        *_texts("document", "sha256"),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        _foreign("document", "collection_id", "collection"),
        sa.UniqueConstraint("collection_id", "document", name="uq_document_collection_id_document"),
    )
    op.create_table(
        "chunk",
        _id(_LONG),
        _integer("collection_id"),
        _integer("document_id"),
        *_texts("key"),
        _integer("ordinal"),
        sa.Column("heading", _JSON, nullable=False),
        _integer("first"),
        _integer("last"),
        *_texts("text", "language", "kind", "sha256"),
        sa.PrimaryKeyConstraint("id", name="pk_chunk"),
        _foreign("chunk", "collection_id", "collection"),
        _foreign("chunk", "document_id", "document"),
        sa.UniqueConstraint("collection_id", "key", name="uq_chunk_collection_id_key"),
    )
    _index("chunk", "document_id")
    _index("chunk", "sha256", "collection_id")
    op.create_table(
        "embedding",
        *_texts("embedder"),
        _integer("dimension"),
        *_texts("sha256"),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("embedder", "dimension", "sha256", name="pk_embedding"),
    )
    op.create_table(
        "journal",
        _id(_LONG),
        sa.Column("collection_id", sa.Integer(), nullable=True),
        *_texts("target", "space", "item"),
        sa.PrimaryKeyConstraint("id", name="pk_journal"),
        _foreign("journal", "collection_id", "collection"),
    )
    _index("journal", "collection_id", "target", "space")
    op.create_table(
        "counter",
        *_texts("name"),
        sa.Column("value", _LONG, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counter"),
    )


def _create_cache() -> None:
    op.create_table(
        "cache_entry",
        _id(sa.Integer()),
        *_texts("tenant", "domain", "collection", "language", "query_type"),
        _integer("index_version"),
        *_texts("embedder", "epoch", "contract", "digest", "question", "normalized"),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.Column("answer", _JSON, nullable=False),
        sa.Column("top", _JSON, nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("last_hit", sa.Double(), nullable=True),
        _integer("hits"),
        *_texts("stale"),
        sa.PrimaryKeyConstraint("id", name="pk_cache_entry"),
        sqlite_autoincrement=True,
    )
    _index("cache_entry", "collection")
    _index("cache_entry", "digest")
    op.create_table(
        "cache_evidence",
        _id(_LONG),
        _integer("entry_id"),
        *_texts("collection", "chunk", "sha256"),
        sa.PrimaryKeyConstraint("id", name="pk_cache_evidence"),
        _foreign("cache_evidence", "entry_id", "cache_entry"),
    )
    _index("cache_evidence", "collection", "chunk")
    _index("cache_evidence", "entry_id")
    op.create_table(
        "cache_decision",
        _id(_LONG),
        sa.Column("time", sa.Double(), nullable=False),
        *_texts("question"),
        sa.Column("key", _JSON, nullable=False),
        sa.Column("admitted", sa.Boolean(), nullable=False),
        *_texts("reason", "detail"),
        sa.PrimaryKeyConstraint("id", name="pk_cache_decision"),
    )
    _index("cache_decision", "time")


def _create_log() -> None:
    op.create_table(
        "request_log",
        _id(_LONG),
        sa.Column("time", sa.Double(), nullable=False),
        *_texts("tenant", "domain", "collection", "language", "question", "query_type"),
        *_texts("outcome", "lookup", "admission", "answer"),
        sa.Column("sources", _JSON, nullable=False),
        sa.Column("warnings", _JSON, nullable=False),
        sa.Column("support", sa.Double(), nullable=True),
        sa.Column("genomes", _JSON, nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        *_texts("error"),
        sa.PrimaryKeyConstraint("id", name="pk_request_log"),
    )
    _index("request_log", "domain", "time")
    _index("request_log", "time")
    _index("request_log", "tenant")


def _id(kind: sa.types.TypeEngine[int]) -> sa.Column[int]:
    return sa.Column("id", kind, nullable=False)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False, autoincrement=False)


def _foreign(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    """Rows go with the row they belong to."""
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=f"fk_{table}_{column}_{target}", ondelete="CASCADE")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
