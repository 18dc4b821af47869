"""Who works on an answer, and its text before its end."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# What was left without an end belongs to this process, which no longer lives.
BEFORE = ""
# No event of it had a number above this one.
RESERVED = 4 * 1024 * 1024


def upgrade() -> None:
    processes = op.create_table(
        "processes",
        sa.Column("process", sa.String, nullable=False),
        sa.Column("beats", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("process", name="pk_processes"),
    )
    op.bulk_insert(processes, [{"process": BEFORE, "beats": 0}])
    op.add_column("messages", sa.Column("process", sa.String, nullable=False, server_default=BEFORE))
    op.execute(f"UPDATE messages SET seq = {RESERVED} WHERE ended_at IS NULL")
    unfinished = sa.text("ended_at IS NULL")
    op.create_index(
        "ix_messages_process", "messages", ["process"], sqlite_where=unfinished, postgresql_where=unfinished
    )
    op.create_table(
        "checkpoints",
        sa.Column("message_id", sa.String, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("message_id", "start", name="pk_checkpoints"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["messages.message_id"], name="fk_checkpoints_message_id", ondelete="CASCADE"
        ),
    )
