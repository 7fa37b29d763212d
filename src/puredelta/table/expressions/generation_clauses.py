"""How a column is generated, as the clause of CREATE TABLE that declares it."""

import re

from puredelta.schema.datatypes import StructField, StructType
from puredelta.table.expressions.generated_columns import generation_of
from puredelta.table.expressions.identity_columns import identity_of

# Strings, names and comments, and the comment with which a text ends.
_PIECES = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|/\*.*?\*/|(?P<last>--[^\r\n]*\Z)|--[^\r\n]*""",
    re.DOTALL,
)


def generation_clause(field: StructField) -> str | None:
    """Return the clause of a generated or identity column; None for other columns.

    >>> from puredelta.schema.datatypes import PRIMITIVES
    >>> generation_clause(
    ...     StructField("a", PRIMITIVES["integer"], True, {"delta.generationExpression": "b + 1"})
    ... )
    'GENERATED ALWAYS AS (b + 1)'

    Raises:
        DeltaAnalysisError: DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA.
    """
    text = generation_of(field.metadata)
    if text is not None:
        # A comment at the end of the text must not reach the parenthesis.
        end = "\n" if any(piece["last"] for piece in _PIECES.finditer(text)) else ""
        return f"GENERATED ALWAYS AS ({text}{end})"
    column = identity_of(field.name, field.metadata)
    if column is None:
        return None
    word = "BY DEFAULT" if column.allows_explicit else "ALWAYS"
    return f"GENERATED {word} AS IDENTITY (START WITH {column.start} INCREMENT BY {column.step})"


def generation_clauses(schema: StructType) -> dict[str, str]:
    """Return the clauses of generated and identity columns, by name."""
    clauses = ((field.name, generation_clause(field)) for field in schema)
    return {name: clause for name, clause in clauses if clause is not None}
