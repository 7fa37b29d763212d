"""A DataFrame made ready for a table's files: its columns, in order, cast and checked."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StringType, StructField

from puredelta.commands.matching import Match
from puredelta.engine.casting import StoreAssignment, same_type
from puredelta.engine.row_checks import check_length, check_not_null, check_true


def aligned(
    frame: DataFrame,
    matched: Match,
    partition_columns: Sequence[str],
    assignment: StoreAssignment,
    *,
    must_hold: str | None = None,
) -> DataFrame:
    """Return a DataFrame of exactly the table's columns.

    Args:
        frame: the data.
        matched: which of its columns goes where.
        partition_columns: the table's, where '' is null.
        assignment: how values are cast.
        must_hold: a condition, in SQL, that each new row must satisfy (replaceWhere).
    """
    places = [f"c{i}" for i in range(len(frame.columns))]
    given = frame.schema
    partitions = {name.lower() for name in partition_columns}
    columns = []
    plain = list(matched.sources) == list(range(len(given))) and must_hold is None
    for field, place in zip(matched.schema, matched.sources, strict=True):
        source = None if place is None else given[place]
        value = F.lit(None).cast(field.dataType) if place is None else F.col(places[place])
        in_partitions = field.name.lower() in partitions
        stored = _stored(value, field, source, assignment, in_partitions=in_partitions)
        plain = plain and _is_untouched(field, source, unchecked=stored is value)
        columns.append(stored.alias(field.name, metadata=field.metadata or None))
    if plain:
        return frame
    ready = frame.toDF(*places).select(*columns)
    return ready if must_hold is None else _kept_to(ready, must_hold)


def _stored(
    value: Column,
    field: StructField,
    source: StructField | None,
    assignment: StoreAssignment,
    *,
    in_partitions: bool,
) -> Column:
    """Cast values to a column's type and check what it demands."""
    if source is not None:
        value = assignment.convert(value, source.dataType, field.dataType, field.name)
    if in_partitions and isinstance(field.dataType, StringType):
        # The log cannot tell '' from null, so it is null from here on.
        value, source = F.nullif(value, F.lit("")), None
    checked = check_not_null(value, field, source)
    return check_length(checked, field, in_partitions=in_partitions)


def _is_untouched(field: StructField, source: StructField | None, *, unchecked: bool) -> bool:
    return (
        source is not None
        and unchecked
        and source.name == field.name
        and same_type(source.dataType, field.dataType)
    )


def _kept_to(frame: DataFrame, must_hold: str) -> DataFrame:
    """Check a condition of the whole row on its way through the first column."""
    first, *others = frame.columns
    told = {"replaceWhere": must_hold, "message": "a row of the data does not match it"}
    checked: Column = check_true(
        F.col(_quoted(first)), F.expr(must_hold), "DELTA_REPLACE_WHERE_MISMATCH", **told
    )
    return frame.select(checked.alias(first), *(F.col(_quoted(name)) for name in others))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
