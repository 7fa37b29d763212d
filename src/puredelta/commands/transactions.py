"""Beginning a transaction in a session: under its settings, and with its name."""

from collections.abc import Sequence

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import time_zone
from puredelta.log.actions import Action
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.manifest import ManifestNames
from puredelta.maintenance.manifest_upkeep import ManifestUpkeep
from puredelta.table.protocol.properties import SYMLINK_MANIFEST
from puredelta.txn.transaction import FollowUp, Transaction


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
    transaction.follow_ups = (_manifests(context, table),)
    return transaction


def _manifests(context: Context, table: TableRef) -> FollowUp:
    """Return what keeps the manifests of a table up to date, where the table asks for them."""

    def update(before: Snapshot | None, after: Snapshot, actions: Sequence[Action]) -> None:
        # The zone costs a round trip to the JVM, which nearly all tables save.
        if SYMLINK_MANIFEST.of(after.configuration):
            names = ManifestNames(root=table.root, zone=time_zone(context.session))
            ManifestUpkeep(names)(before, after, actions)

    return update
