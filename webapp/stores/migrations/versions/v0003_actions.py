"""Actions get a table of their own, in which each can change after its answer has ended."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    actions = op.create_table(
        "actions",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("message_id", sa.String, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("process", sa.String, nullable=False),
        sa.Column("name", sa.LargeBinary, nullable=False),
        sa.Column("description", sa.LargeBinary, nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("expires_at", sa.String),
        sa.PrimaryKeyConstraint("id", name="pk_actions"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["messages.message_id"], name="fk_actions_message_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_actions_message_id", "actions", ["message_id"])
    confirmed = sa.text("state = 'confirmed'")
    op.create_index("ix_actions_process", "actions", ["process"], sqlite_where=confirmed, postgresql_where=confirmed)
    if rows := _kept_before():
        op.bulk_insert(actions, rows)
    op.drop_column("messages", "actions")


def _kept_before() -> list[dict[str, object]]:
    """Those of the answers so far; none of them waits for anything."""
    messages = sa.table("messages", sa.column("message_id"), sa.column("actions"))
    found = op.get_bind().execute(sa.select(messages).where(messages.c.actions != "[]"))
    return [
        {
            "id": action["id"],
            "message_id": row.message_id,
            "position": position,
            "process": "",
            "name": action["name"].encode("utf-8", "replace"),
            "description": action["description"].encode("utf-8", "replace"),
            "arguments": json.dumps(action["arguments"]),
            "state": action["state"],
            "result": action["result"] and json.dumps(action["result"]),
            "expires_at": action["expires_at"],
        }
        for row in found
        for position, action in enumerate(json.loads(row.actions))
    ]
