"""A DataFrame made ready for a table's files: its columns, in order, cast and checked."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import NullType, StringType, StructField

from puredelta.commands.matching import Match
from puredelta.engine.casting import StoreAssignment, same_type
from puredelta.engine.row_checks import check_not_null, check_true
from puredelta.engine.text_lengths import check_length
from puredelta.engine.void_columns import without_void
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quote_name
from puredelta.table.defaults import default_of


def aligned(
    frame: DataFrame,
    matched: Match,
    partition_columns: Sequence[str],
    assignment: StoreAssignment,
    *,
    must_hold: str | None = None,
) -> DataFrame:
    """Return a DataFrame of exactly the table's columns, those without a type left out.

    Args:
        frame: the data.
        matched: which of its columns goes where.
        partition_columns: the table's, where '' is null.
        assignment: how values are cast.
        must_hold: a condition, in SQL, that each new row must satisfy (replaceWhere).

    Raises:
        DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_ABSENT.NULL_TYPE_COLUMNS_DROPPED,
            DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE.
    """
    places = _distinct_names(frame.columns)
    given = frame.schema
    partitions = {name.lower() for name in partition_columns}
    columns = []
    plain = list(matched.sources) == list(range(len(given))) and must_hold is None
    for field, place in zip(matched.schema, matched.sources, strict=True):
        source = None if place is None else given[place]
        value = _absent(field, assignment) if place is None else F.col(quote_name(places[place]))
        if isinstance(field.dataType, NullType):
            plain = False
            continue
        in_partitions = field.name.lower() in partitions
        cast = _cast(value, field, source, assignment, in_partitions=in_partitions)
        sized = check_length(frame.sparkSession, cast, field)
        stored = without_void(sized, field, field.name)
        plain = plain and _is_untouched(field, source, unchecked=stored is value)
        columns.append(stored.alias(field.name, metadata=field.metadata or None))
    if plain:
        return frame
    if len(columns) < len(matched.schema) and len(columns) <= len(partitions):
        raise DeltaAnalysisError("DELTA_NON_PARTITION_COLUMN_ABSENT.NULL_TYPE_COLUMNS_DROPPED")
    renamed = frame if places == frame.columns else frame.toDF(*places)
    ready = renamed.select(*columns)
    return ready if must_hold is None else _kept_to(ready, must_hold)


def _distinct_names(names: list[str]) -> list[str]:
    """Return names by which columns can be told: their own, which errors of Spark then show."""
    if len({name.lower() for name in names}) == len(names):
        return names
    return [f"c{i}" for i in range(len(names))]


def _absent(field: StructField, assignment: StoreAssignment) -> Column:
    """Return what a column holds that the data does not have."""
    text = default_of(field.metadata)
    if text is None:
        return F.lit(None).cast(field.dataType)
    return assignment.default(text, field.dataType)


def _cast(
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
    return check_not_null(value, field, source)


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
        F.col(quote_name(first)), F.expr(must_hold), "DELTA_REPLACE_WHERE_MISMATCH", **told
    )
    return frame.select(checked.alias(first), *(F.col(quote_name(name)) for name in others))
