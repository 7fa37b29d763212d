"""A condition on partitions, as OPTIMIZE and REORG take it: checked, shown and applied."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.write.replace_where import not_a_partition_column
from puredelta.engine.catalyst.sql_conditions import (
    condition_column,
    has_subquery,
    parsed_condition,
    resolve_condition,
)
from puredelta.engine.dml.candidate_files import candidate_files
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.errors.classes import DeltaAnalysisError


@dataclass(frozen=True, slots=True)
class PartitionCondition:
    """Which partitions of a table are meant.

    Attributes:
        text: the condition, in SQL; None for all partitions.
        shown: its parts as they were given, for history.
    """

    text: str | None = None
    shown: tuple[str, ...] = ()

    def files(self, target: WriteTarget) -> pa.Table:
        """Return the files of the partitions, as rows of `target.before.files`."""
        before, table = target.before, target.table
        if self.text is None:
            return before.files
        known = condition_column(self.text)
        return candidate_files(target.context.session, table.root, before, known, table.options)


EVERYTHING = PartitionCondition()


def partition_condition(
    target: WriteTarget, texts: Sequence[str], operation: str
) -> PartitionCondition:
    """Check conditions on partitions, of which all must hold.

    Args:
        target: the table.
        texts: the conditions, in SQL; none for all partitions.
        operation: what they are for, for errors.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_RECOGNIZE_PREDICATE for a text that is no expression,
            DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES, DELTA_NON_PARTITION_COLUMN_REFERENCE
            for a column whose values are in the files, and what Spark raises for an unknown column.
    """
    if not texts:
        return EVERYTHING
    parsed = [parsed_condition(target.context.session, text) for text in texts]
    if any(has_subquery(expression) for expression in parsed):
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES")
    before, table = target.before, target.table
    rows = frame_of_files(
        target.context.session, table.root, before, before.files.slice(0, 0), table.options
    )
    # The line's end closes a comment that a condition ends with.
    text = texts[0] if len(texts) == 1 else " AND ".join(f"({part}\n)" for part in texts)
    condition = resolve_condition(rows, text, operation)
    others = sorted(condition.columns - set(before.partition_columns))
    if others:
        raise not_a_partition_column(target, others[0])
    return PartitionCondition(text, tuple(texts))
