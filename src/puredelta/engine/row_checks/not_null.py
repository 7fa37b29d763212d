"""NOT NULL, at the top and inside structs, as rules of rows."""

from collections.abc import Iterator, Sequence

from pyspark.sql import Column
from pyspark.sql.types import StructField, StructType

from puredelta.engine.row_checks.rules import RowRule, describe_violation


def required_rules(
    column: Column, field: StructField, source: StructField | None
) -> Iterator[RowRule]:
    """Yield a rule for each NOT NULL field in a column, at the top or inside structs.

    A field inside a struct counts even where the struct itself may be null, as delta-spark has it.

    Args:
        column: the values to be written.
        field: the table's field.
        source: the field of the data, to leave out what cannot be null; None when not known.
    """
    for path, part in field_parts(field):
        if part.nullable or (source is not None and _never_null(source, path)):
            continue
        name = ".".join((field.name, *path))
        has_value = _part(column, path).isNotNull()
        yield RowRule(
            has_value, describe_violation("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", columnName=name)
        )


def field_parts(field: StructField) -> Iterator[tuple[tuple[str, ...], StructField]]:
    """Yield a field and those in its structs, each with its path below the field."""
    yield (), field
    if isinstance(field.dataType, StructType):
        for part in field.dataType.fields:
            for path, inner in field_parts(part):
                yield (part.name, *path), inner


def _part(column: Column, path: Sequence[str]) -> Column:
    for name in path:
        column = column.getField(name)
    return column


def _never_null(source: StructField, path: Sequence[str]) -> bool:
    field = source
    for name in path:
        inner = field.dataType
        if field.nullable or not isinstance(inner, StructType) or name not in inner.names:
            return False
        field = inner[name]
    return not field.nullable
