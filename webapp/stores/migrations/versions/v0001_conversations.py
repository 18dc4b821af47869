"""Conversations, their messages, and the claims on request ids."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _conversations()
    _messages()
    _claims()


def _conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("owner", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
    )
    op.create_index("ix_conversations_owner_updated_at_id", "conversations", ["owner", "updated_at", "id"])


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("message_id", sa.String, nullable=False),
        sa.Column("conversation_id", sa.String, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("parent_id", sa.String),
        sa.Column("request_id", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.Column("search", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("cancel_requested_at", sa.BigInteger),
        sa.Column("finish_reason", sa.String),
        sa.Column("cancelled_by", sa.String),
        sa.Column("failure", sa.Text),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("listings", sa.Text, nullable=False),
        sa.Column("actions", sa.Text, nullable=False),
        sa.Column("remaining_messages", sa.Integer),
        sa.Column("usage", sa.Text),
        sa.PrimaryKeyConstraint("message_id", name="pk_messages"),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name="fk_messages_conversation_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["messages.message_id"], name="fk_messages_parent_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("conversation_id", "position", name="uq_messages_conversation_id_position"),
    )
    op.create_index("ix_messages_parent_id", "messages", ["parent_id"])
    unfinished = sa.text("ended_at IS NULL")
    op.create_index(
        "ix_messages_unfinished",
        "messages",
        ["created_at"],
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )
    running = sa.text("ended_at IS NULL AND cancel_requested_at IS NULL")
    op.create_index(
        "uq_messages_running",
        "messages",
        ["conversation_id"],
        unique=True,
        sqlite_where=running,
        postgresql_where=running,
    )


def _claims() -> None:
    op.create_table(
        "claims",
        sa.Column("owner", sa.String, nullable=False),
        sa.Column("request_id", sa.String, nullable=False),
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("answer_id", sa.String, nullable=False),
        sa.PrimaryKeyConstraint("owner", "request_id", name="pk_claims"),
        sa.ForeignKeyConstraint(["answer_id"], ["messages.message_id"], name="fk_claims_answer_id", ondelete="CASCADE"),
        sa.UniqueConstraint("answer_id", name="uq_claims_answer_id"),
    )
