"""CREATE and REPLACE TABLE whose columns have clauses that Spark does not pass to a catalog."""

import re

from puredelta.frontend.sql.rewrite.check_clauses import created_constraints
from puredelta.frontend.sql.rewrite.column_list import ColumnList, column_list
from puredelta.frontend.sql.rewrite.generated_clauses import created_columns

_MENTIONED = re.compile(r"\b(?:CHECK|GENERATED)\b", re.IGNORECASE)


def created_table(text: str) -> ColumnList | None:
    """Read CREATE or REPLACE TABLE whose columns may have such clauses; None for other texts."""
    return column_list(text) if _MENTIONED.search(text) else None


def with_properties(listed: ColumnList) -> str | None:
    """Return the statement with properties in place of CHECK and GENERATED clauses.

    None where it has none of them, or where Spark reports what is wrong.

    Raises:
        DeltaAnalysisError: DELTA_CONSTRAINT_ALREADY_EXISTS,
            PUREDELTA_GENERATED_COLUMN_IN_STRUCT, PUREDELTA_IDENTITY_IN_STRUCT.
    """
    # Either all clauses are rewritten or none: Spark then sees the whole statement of the user.
    columns = created_columns(listed)
    constraints = created_constraints(listed) if columns is not None else None
    if columns is None or constraints is None or not (columns.spans or constraints.spans):
        return None
    return listed.rewritten(constraints, columns)
