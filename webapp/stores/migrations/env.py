"""What Alembic runs for every command: the steps, on the connection that it was given."""

from alembic import context

from webapp.stores.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
