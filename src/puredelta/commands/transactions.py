"""Beginning a transaction in a session: under its settings, and with its name."""

from __future__ import annotations

from collections.abc import Callable, Collection

from puredelta.commands.commit_report import remember_commit
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import time_zone
from puredelta.log.actions import Action
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.manifest import ManifestNames
from puredelta.maintenance.manifest_upkeep import ManifestUpkeep
from puredelta.table.protocol.properties import SYMLINK_MANIFEST
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import CommitResult, FollowUp, Transaction

AfterCommit = Callable[[Context, TableRef, Snapshot, str, Collection[Action]], None]
"""Acts after a commit, given its version, what history calls it, and what it did."""

_after_commit: list[AfterCommit] = []


def after_each_commit(act: AfterCommit) -> None:
    """Have a function called after each commit of a statement, in the same thread.

    Args:
        act: must not raise, unless the session wants it: the commit stands.
    """
    if act not in _after_commit:
        _after_commit.append(act)


class SessionTransaction(Transaction):
    """A transaction of a session; what is to follow its commit follows it.

    Attributes:
        context: the session.
        ref: the table.
    """

    context: Context
    ref: TableRef

    def landed(
        self, result: CommitResult, operation: Operation, actions: Collection[Action]
    ) -> None:
        """Do what statements let follow each commit; see `Transaction.landed`."""
        remember_commit(self.context.session, self.ref, result.version)
        for act in _after_commit:
            act(self.context, self.ref, result.snapshot, operation.name, actions)


def begin(context: Context, table: TableRef, before: Snapshot | None) -> Transaction:
    """Begin a transaction.

    Args:
        context: gives the session's settings, and receives the version that is made.
        table: the table.
        before: the version that is read; None when the table is to be created.
    """
    transaction = SessionTransaction(
        table.log(),
        before,
        engine=context.engine,
        table=table.label,
        settings=context.settings.commit,
    )
    transaction.context, transaction.ref = context, table
    transaction.made = context.remember_version
    transaction.follow_ups = (_manifests(context, table),)
    return transaction


def _manifests(context: Context, table: TableRef) -> FollowUp:
    """Return what keeps the manifests of a table up to date, where the table asks for them."""

    def update(before: Snapshot | None, after: Snapshot, actions: Collection[Action]) -> None:
        # The zone costs a round trip to the JVM, which nearly all tables save.
        if SYMLINK_MANIFEST.of(after.configuration):
            names = ManifestNames(root=table.root, zone=time_zone(context.session))
            ManifestUpkeep(names)(before, after, actions)

    return update
