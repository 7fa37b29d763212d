"""Do all rows of a table meet a condition? Proven by the log where it can be, else by a scan."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.rows.layout import spark_schema
from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.constraint_expressions import CheckExpression, checked_expression
from puredelta.engine.catalyst.stored_expressions import stored_column
from puredelta.engine.row_checks.rules import is_true
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.session.context import Context
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quote_path
from puredelta.table.skipping.proof import is_proven

_EXAMPLES = 5
_SHOWN = 100
"""How many characters of a value users see."""

# `monotonically_increasing_id` has the number of the partition above so many bits, and that of the
# row in it below.
_ROW_BITS = 33


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintProof:
    """What is known of the rows of a table.

    Attributes:
        proven_files: how many files need no look, because the log says enough of them.
        scanned_files: how many files were read, or would have to be.
        violations: how many rows do not meet the condition; 0 when nothing was read.
        examples: some of them, as `id = 3, name = null`: the columns that the condition names,
            and those that partition the table.
    """

    proven_files: int
    scanned_files: int
    violations: int = 0
    examples: tuple[str, ...] = ()


def prove_condition(
    context: Context, table: TableRef, snapshot: Snapshot, condition: str, *, scan: bool = True
) -> ConstraintProof:
    """Look for rows that do not meet a condition; null does not meet it.

    Files are read in one job, and only those of which statistics and partition values do not say.

    Args:
        context: the session.
        table: the table.
        snapshot: the version that is looked at.
        condition: SQL over the columns of the table.
        scan: read the files that are left; without it, they are only counted.

    Raises:
        DeltaAnalysisError: what `checked_expression` raises.
    """
    session = context.session
    check = checked_expression(session, spark_schema(snapshot.metadata), "", condition)
    files = snapshot.files
    sure = is_proven(snapshot, files, check.condition)
    left = files.filter(pa.array(~sure))
    counted = ConstraintProof(proven_files=int(np.count_nonzero(sure)), scanned_files=left.num_rows)
    # Where the log proves all files no job is started.
    if not scan or not left.num_rows:
        return counted
    rows = frame_of_files(session, table.root, snapshot, left, table.options)
    violations, examples = _violations(rows, check, snapshot.partition_columns)
    return ConstraintProof(
        proven_files=counted.proven_files,
        scanned_files=counted.scanned_files,
        violations=violations,
        examples=examples,
    )


def _violations(
    rows: DataFrame, check: CheckExpression, also: list[str]
) -> tuple[int, tuple[str, ...]]:
    """Count the rows that do not meet a condition, and return some of them, in one job."""
    named = [*check.columns, *((name,) for name in also if (name,) not in check.columns)]
    is_met = is_true(stored_column(check.text))
    # A list of all violations could be longer than memory, so each task gives its first ones.
    number = F.monotonically_increasing_id().bitwiseAND(F.lit((1 << _ROW_BITS) - 1))
    found = rows.where(~is_met).select(_described(named).alias("row"), number.alias("number"))
    example = F.when(F.col("number") < _EXAMPLES, F.col("row"))
    [counted] = found.agg(F.count(F.lit(1)), F.collect_list(example)).collect()
    return int(counted[0]), tuple(counted[1][:_EXAMPLES])


def _described(columns: list[tuple[str, ...]]) -> Column:
    """Return a row as users see it."""
    parts = [
        F.concat(F.lit(f"{'.'.join(path)} = "), F.coalesce(_shown(path), F.lit("null")))
        for path in columns
    ]
    return F.concat_ws(", ", *parts)


def _shown(path: tuple[str, ...]) -> Column:
    return F.col(quote_path(path)).cast("string").substr(1, _SHOWN)
