"""A DataFrame made ready for a table's files: its columns, in order, cast and checked."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import NullType, StringType, StructField, StructType

from puredelta.commands.rows.column_matching import Match
from puredelta.commands.rows.generated_values import TableRows, with_generated
from puredelta.commands.rows.row_constraints import Requirements, with_constraint_checks
from puredelta.engine.catalyst.stored_expressions import Stored
from puredelta.engine.row_checks.identity_values import with_identity_values
from puredelta.engine.row_checks.null_type_columns import has_null_type, without_null_type
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quote_name
from puredelta.table.expressions.identity_columns import identity_of
from puredelta.table.protocol.defaults import default_of


def align_columns(
    frame: DataFrame,
    matched: Match,
    partition_columns: Sequence[str],
    assignment: StoreAssignment,
    demands: Requirements,
    carried: Sequence[str] = (),
) -> DataFrame:
    """Return a DataFrame of exactly the table's columns, those without a type left out.

    Its rows cannot be read unless each keeps the rules of the table.

    Args:
        frame: the data.
        matched: which of its columns goes where.
        partition_columns: the table's, where '' is null.
        assignment: how values are cast.
        demands: what rows must keep besides what the columns themselves demand.
        carried: columns of the data that are none of the table's and follow those as they are.

    Raises:
        DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_ABSENT,
            DELTA_CANNOT_WRITE_EMPTY_SCHEMA, DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE,
            DELTA_NON_BOOLEAN_CHECK_CONSTRAINT.
    """
    _check_stored(matched.schema, partition_columns)
    partitions = {name.lower() for name in partition_columns}
    cast, sources = _cast_to(frame, matched, partitions, assignment, carried)
    whole = TableRows(cast, matched.schema, matched.given, partitions, assignment)
    rows, demanded = with_generated(whole, demands)
    return _stored(
        with_constraint_checks(rows, matched.schema, sources, demanded), matched.schema, carried
    )


def _check_stored(schema: StructType, partition_columns: Sequence[str]) -> None:
    """Refuse rows of which files would have no column."""
    stored = [field for field in schema if not isinstance(field.dataType, NullType)]
    # Files contain neither partition columns nor columns without a type: one has to remain.
    if len(stored) > len(partition_columns):
        return
    if not stored and len(schema):
        raise DeltaAnalysisError("DELTA_CANNOT_WRITE_EMPTY_SCHEMA.TABLE_ALL_VOID_COLUMNS")
    if len(stored) < len(schema):
        raise DeltaAnalysisError("DELTA_NON_PARTITION_COLUMN_ABSENT.NULL_TYPE_COLUMNS_DROPPED")
    raise DeltaAnalysisError("DELTA_NON_PARTITION_COLUMN_ABSENT.ALL_PARTITION_COLUMNS")


def _cast_to(
    frame: DataFrame,
    matched: Match,
    partitions: set[str],
    assignment: StoreAssignment,
    carried: Sequence[str],
) -> tuple[DataFrame, list[StructField | None]]:
    """Return the table's columns, and for each the field of the data that says its nullability."""
    places = _distinct_names(frame.columns)
    given = frame.schema
    columns: list[Column] = []
    sources: list[StructField | None] = []
    is_untouched = list(matched.sources) == list(range(len(given) - len(carried)))
    for field, place in zip(matched.schema, matched.sources, strict=True):
        source = None if place is None else given[place]
        value = _absent(field, assignment) if place is None else F.col(quote_name(places[place]))
        in_partitions = field.name.lower() in partitions
        cast, source = _cast(value, field, source, assignment, in_partitions=in_partitions)
        is_untouched = is_untouched and cast is value and _has_name(field, source)
        columns.append(cast.alias(field.name, metadata=field.metadata or None))
        sources.append(source)
    if is_untouched:
        return frame, sources
    renamed = frame if places == frame.columns else frame.toDF(*places)
    return renamed.select(*columns, *map(quote_name, carried)), sources


def _distinct_names(names: list[str]) -> list[str]:
    """Return names that address columns: their own, which errors of Spark then show."""
    # Columns are found by position; duplicated names would make references to them ambiguous.
    if len({name.lower() for name in names}) == len(names):
        return names
    return [f"c{i}" for i in range(len(names))]


def _absent(field: StructField, assignment: StoreAssignment) -> Column:
    """Return what a column holds that the data does not have."""
    column = identity_of(field.name, field.metadata)
    if column is not None:
        return with_identity_values(column)
    text = default_of(field.metadata)
    if text is None:
        return F.lit(None).cast(field.dataType)
    return assignment.default(Stored.default(field.name, text), field.dataType)


def _cast(
    value: Column,
    field: StructField,
    source: StructField | None,
    assignment: StoreAssignment,
    *,
    in_partitions: bool,
) -> tuple[Column, StructField | None]:
    """Cast values to a column's type; the source is None where they may have become null."""
    if isinstance(field.dataType, NullType):
        return F.lit(None), None
    if source is not None:
        converted = assignment.convert(value, source.dataType, field.dataType, field.name)
        # A cast may make nulls, and fields of structs are not matched by their names alone.
        value, source = converted, source if converted is value else None
    if in_partitions and isinstance(field.dataType, StringType):
        # Protocol: Partition Value Serialization. The log reads '' as null, so it is null from
        # here.
        return F.nullif(value, F.lit("")), None
    return value, source


def _has_name(field: StructField, source: StructField | None) -> bool:
    return source is not None and source.name == field.name


def _stored(rows: DataFrame, schema: StructType, carried: Sequence[str]) -> DataFrame:
    """Return the table's columns as files have them: nothing is void."""
    if rows.columns == [*schema.names, *carried] and not any(
        has_null_type(field.dataType) for field in schema
    ):
        return rows
    columns = [
        without_null_type(F.col(quote_name(field.name)), field, field.name).alias(
            field.name, metadata=field.metadata or None
        )
        for field in schema
        if not isinstance(field.dataType, NullType)
    ]
    return rows.select(*columns, *map(quote_name, carried))
