"""Beginning a transaction in a session: under its settings, and with its name."""

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.log.snapshot import Snapshot
from puredelta.txn.transaction import Transaction


def begin(context: Context, table: TableRef, before: Snapshot | None) -> Transaction:
    """Begin a transaction.

    Args:
        context: gives the session's settings, and receives the version that is made.
        table: the table.
        before: the version that is read; None when the table is to be created.
    """
    transaction = Transaction(
        table.log(),
        before,
        engine=context.engine,
        table=table.label,
        settings=context.settings.commit,
    )
    transaction.made = context.remember_version
    return transaction
