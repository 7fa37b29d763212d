"""Which files a condition can concern, and why: for DML and for `explain`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession

from puredelta.engine.bridge.classes import kind_of, new, scala_object, static_method
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.catalyst.plan_shape import DELETED_MARK
from puredelta.engine.catalyst.predicates import condition_of
from puredelta.engine.scan.file_evaluator import FileEvaluator, conditions_of
from puredelta.engine.scan.file_index import chosen_files, listing_of, snapshot_of
from puredelta.engine.scan.handle import ScanQuestion
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.log.files import FILES, total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.table.skipping.predicate import And, Condition, Unknown, columns_of, conjuncts
from puredelta.table.skipping.predicate import Column as ConditionColumn
from puredelta.table.skipping.pruning import PruningEffect

_AND = "org.apache.spark.sql.catalyst.expressions.And"
_PATTERNS = "org.apache.spark.sql.catalyst.trees.TreePattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The files that a scan reads, and what leaves out the others.

    Attributes:
        root: the table's folder, as Hadoop names it.
        version: the version read.
        files: the files that are read, as rows of `log.files.FILES`.
        all_files: how many files the version has.
        all_bytes: their size.
        partition_filters: conditions on partition columns, as Spark writes them.
        in_partitions: how many files they leave.
        effects: what each other condition leaves out by statistics, of all files.
    """

    root: str
    version: int
    files: pa.Table = field(repr=False)
    all_files: int
    all_bytes: int
    partition_filters: str
    in_partitions: int
    effects: tuple[PruningEffect, ...]

    @property
    def bytes(self) -> int:
        """The size of the files that are read."""
        return total_bytes(self.files)

    def __str__(self) -> str:
        head = (
            f"{self.root} version {self.version}: reads {self.files.num_rows:,} of "
            f"{self.all_files:,} files, {self.bytes:,} of {self.all_bytes:,} bytes"
        )
        lines = [head]
        if self.partition_filters:
            lines.append(
                f"  partitions: {self.partition_filters} leaves {self.in_partitions:,} files"
            )
        lines += [f"  statistics: {effect}" for effect in self.effects]
        return "\n".join(lines)


def candidate_files(
    session: SparkSession,
    root: str,
    snapshot: Snapshot,
    condition: str | Column,
    options: Mapping[str, str],
) -> pa.Table:
    """Return the files of a version that can hold rows for which a condition is true.

    Args:
        session: whose SQL the condition is in.
        root: the table's folder, as Hadoop names it.
        snapshot: the version.
        condition: over the table's columns.
        options: of the table's file system.

    Returns:
        Rows of `snapshot.files`.

    Raises:
        AnalysisException: Spark's, for a condition that it cannot read or resolve.
    """
    frame = frame_of_files(session, root, snapshot, None, options)
    found, _ = choose_files(frame.where(condition), root, snapshot, snapshot.files)
    return found


def choose_files(
    frame: DataFrame, root: str, snapshot: Snapshot, files: pa.Table
) -> tuple[pa.Table, Choice | None]:
    """Return which of some files a query reads, and why; all of them where its plan hides it.

    Args:
        frame: the query.
        root: the table's folder, as Hadoop names it.
        snapshot: the version.
        files: those that the query scans, as rows of `log.files.FILES`.

    Returns:
        Files of `files`, and how they were chosen, if they were.
    """
    # Subqueries scan tables, too: the scan of this table and version is the one meant.
    wanted = (root, snapshot.version)
    choice = next(
        (
            candidate
            for candidate in choices(frame)
            if (candidate.root, candidate.version) == wanted
        ),
        None,
    )
    if choice is not None:
        return choice.files, choice
    # A condition that is never true leaves no scan, nor does a plugin that plans in its own way.
    return (files.slice(0, 0) if _is_empty(frame) else files), None


def row_filter(rows: DataFrame) -> Condition:
    """Return the condition that a query puts upon a scan; unknown where it does more than that.

    What scans add to leave out deleted rows is no part of it.

    Args:
        rows: a scan with filters, aliases and plain views upon it.
    """
    plan = rows._jdf.queryExecution().optimizedPlan()
    while (kind := kind_of(plan)) == "Project":
        plan = plan.child()
    if kind != "Filter" or kind_of(plan.child()) != "LogicalRelation":
        return Unknown()
    given = conjuncts([condition_of(plan.condition())])
    mark = ConditionColumn((DELETED_MARK,))
    return And(tuple(one for one in given if mark not in columns_of(one)))


def _is_empty(frame: DataFrame) -> bool:
    most = frame._jdf.queryExecution().optimizedPlan().maxRows()
    return bool(most.isDefined() and most.get() == 0)


def choices(frame: DataFrame) -> list[Choice]:
    """Return which files a DataFrame would read of each Delta table in it, as of now."""
    scans = static_method("puredelta.TableScans", "of")(frame._jdf.queryExecution().executedPlan())
    return [_choice(scan) for scan in items_of(scans)]


def _choice(scan: Any) -> Choice:
    location = scan.relation().location()
    partition_filters = _known_before(scan.partitionFilters())
    # The plan's own settings: another session may be the active one here.
    asked = location.question(sequence(partition_filters), scan.conf())
    # Its filters are those of partitions.
    question = msgspec.structs.replace(ScanQuestion.from_json(asked), filters=None)
    handle = question.handle
    snapshot = snapshot_of(handle)
    listing = listing_of(handle)
    # One column is enough to count files and sum their sizes.
    everything, _ = listing.chosen(range(len(listing.partitions)), None, ["size"])
    _, in_partitions = listing.chosen(question.keep, None, ["size"])
    judging = FileEvaluator(snapshot, conditions_of(question, _joined(scan.dataFilters())))
    files, _ = chosen_files(handle, question.keep, judging.prune, FILES.names)
    return Choice(
        root=handle.root,
        version=snapshot.version,
        files=files,
        all_files=everything.num_rows,
        all_bytes=total_bytes(everything),
        partition_filters=" AND ".join(condition.sql() for condition in partition_filters),
        in_partitions=sum(in_partitions),
        effects=judging.effects,
    )


def _known_before(filters: Any) -> list[Any]:
    """Return the filters that can be evaluated before a query runs: those without a subquery."""
    # Spark evaluates subqueries when the query runs; here none runs.
    has_plan = scala_object(_PATTERNS).PLAN_EXPRESSION()
    return [condition for condition in items_of(filters) if not condition.containsPattern(has_plan)]


def _joined(filters: Any) -> Any:
    """Return the conjunction of a Scala Seq of expressions; None when there are none."""
    items = items_of(filters)
    return reduce(lambda left, right: new(_AND, left, right), items) if items else None
