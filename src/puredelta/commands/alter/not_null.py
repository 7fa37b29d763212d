"""SET NOT NULL: a column may only become NOT NULL when no row has a null in it.

Statistics tell of most files; the others are read. The statement's commit must then rest on all
rows that there are (`Change.reads_table`), so that a row which comes in meanwhile makes it fail.
"""

import logging
from collections.abc import Iterable

from puredelta.commands.alter.constraint_proof import evidence
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quote_path

_logger = logging.getLogger(__name__)

Path = tuple[str, ...]


def check_no_nulls(
    context: Context, table: TableRef, before: Snapshot, columns: Iterable[Path]
) -> None:
    """Refuse columns that are null in a row. A field of a struct that is null is null too.

    Args:
        context: the session.
        table: the table.
        before: the version whose rows count.
        columns: paths that structs alone lead to.

    Raises:
        DeltaAnalysisError: DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION.
    """
    for path in columns:
        name = quote_path(path)
        found = evidence(context, table, before, f"{name} IS NOT NULL")
        _logger.info(
            "Checking that %s has no null in existing data: "
            "%d files proven by statistics, %d files scanned.",
            *(name, found.proven_files, found.scanned_files),
        )
        if found.violations:
            raise DeltaAnalysisError(
                "DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION",
                numRows=found.violations,
                tableName=table.label,
                columnName=name,
                examples="\n".join(f" - {example}" for example in found.examples),
            )
