"""The commits of ALTER TABLE: new metadata or protocol, files that stay, or nothing at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol as Interface

from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.engine.session.context import Context
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.log.actions import Action, Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one commit of ALTER TABLE changes.

    Attributes:
        operation: what history shows.
        metadata: new metadata, if any.
        protocol: a new protocol, where metadata alone does not say it.
        actions: files and domains.
        leaves_history: do older versions still have what a DROP FEATURE removed with it?
        leaving: features that are being dropped.
        is_blind: what the commit says of itself; None for what it is.
        reads_table: does it rest on the rows that there are, so that others must add none?
    """

    operation: Operation
    metadata: Metadata | None = None
    protocol: Protocol | None = None
    actions: Sequence[Action] = ()
    leaves_history: bool = True
    leaving: frozenset[str] = frozenset()
    is_blind: bool | None = None
    reads_table: bool = False


EMPTY = Change(operation=Operation("Empty Commit"))
"""A version that changes nothing: something to put a checkpoint on."""


def commit_change(
    context: Context,
    table: TableRef,
    before: Snapshot,
    change: Change,
    recheck: Callable[[Snapshot], bool] | None = None,
) -> Snapshot:
    """Make the next version of a table; return it.

    Args:
        context: the session that commits, with its settings.
        table: the table.
        before: the version that was read.
        change: what to write.
        recheck: asked, where another writer came first, whether the change may still be made.
    """
    transaction = begin(context, table, before)
    # A table may lose a feature that we cannot write; without this its commit would be refused.
    transaction.leaving = change.leaving
    # Rows that others add are not checked against the change, so they conflict with it.
    if change.reads_table:
        transaction.read_whole_table()
    return transaction.commit(
        change.actions,
        change.operation,
        metadata=change.metadata,
        protocol=change.protocol if change.protocol != before.protocol else None,
        is_blind_append=change.is_blind,
        user_metadata=context.settings.user_metadata,
        recheck=recheck,
    ).snapshot


class Alteration(Interface):
    """A statement of ALTER TABLE that is one commit, and can be previewed before it is made."""

    @property
    def table(self) -> TableRef:
        """The table."""

    def plan(self, context: Context, before: Snapshot) -> Change | None:
        """Return what is to be committed on a version; None where there is nothing to do."""


def run_planned(context: Context, command: Alteration) -> Snapshot:
    """Run a statement on the latest version of its table; return the version that it made.

    Args:
        context: the session that commits, with its settings.
        command: what to do.
    """
    before = command.table.log().latest()
    change = command.plan(context, before)
    if change is None:
        return before
    after = commit_change(context, command.table, before, change)
    refresh_caches(context.session, command.table.root)
    return after
