"""Which files of the target a MERGE has to look at, told before any row is read."""

from collections.abc import Iterator
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from puredelta.commands.changes.condition import track_reads
from puredelta.commands.merge.resolve import Resolved
from puredelta.commands.merge.scopes import Expression, Scope
from puredelta.commands.target import Target
from puredelta.engine.candidates import choices
from puredelta.engine.conditions import Resolved as Condition
from puredelta.log.files import FILES
from puredelta.txn.transaction import Transaction


def candidates_of(target: Target, scan: DataFrame, merge: Resolved) -> pa.Table:
    """Return the files that may have rows with a match, or rows that change without one.

    Args:
        target: the table.
        scan: all its rows.
        merge: the clauses.
    """
    if merge.by_source:
        return target.before.files
    return files_where(target, scan, [one.column for one in of_target_alone(scan, merge)])


def files_where(target: Target, scan: DataFrame, conditions: list[Column]) -> pa.Table:
    """Return the files that can have rows for which all of some conditions are true.

    Args:
        target: the table.
        scan: all its rows, with whose columns the conditions were resolved.
        conditions: over the target alone.
    """
    if not conditions:
        return target.before.files
    filtered = scan.where(reduce(lambda left, right: left & right, conditions))
    for choice in choices(filtered):
        if (choice.root, choice.version) == (target.table.root, target.before.version):
            return choice.files
    # A condition that is never true leaves no scan.
    return FILES.empty_table()


def of_target_alone(scan: DataFrame, merge: Resolved) -> Iterator[Expression]:
    """Yield the conjuncts of ON that a row of the target decides by itself."""
    ours = Scope(scan).column_ids
    for one in merge.on.conjuncts():
        if one.column_ids and one.column_ids <= ours:
            yield one


def track(
    transaction: Transaction, target: Target, scan: DataFrame, merge: Resolved, read: pa.Table
) -> None:
    """Tell a transaction what a MERGE depends on: its files, and others that may come.

    Args:
        transaction: the transaction.
        target: the table.
        scan: all its rows.
        merge: the clauses.
        read: the files that were looked at.
    """
    if merge.by_source:
        transaction.read_whole_table()
        return
    before = target.before
    alone = list(of_target_alone(scan, merge))
    text = None
    if alone:
        joined = reduce(lambda left, right: left & right, (one.column for one in alone))
        filtered = scan.where(joined)._jdf.queryExecution().analyzed().condition()
        text = Condition(str(merge.on), filtered).about(before.partition_columns)
    track_reads(transaction, target, read, text, str(merge.on))
