"""Feedback on packages and answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "feedback",
        sa.Column("id", _LONG, nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("tool", "text", "root")),
        sa.Column("ref", sa.Text(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("collection", "domain", "query_type", "verdict")),
        sa.Column("returned", _JSON, nullable=False),
        sa.Column("needed", _JSON, nullable=False),
        sa.Column("missing", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
    )
    op.create_index("ix_feedback_tool_time", "feedback", ["tool", "time"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("feedback")
