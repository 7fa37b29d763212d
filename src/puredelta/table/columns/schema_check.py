"""May a table have this schema and this partitioning?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import (
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
    simple_string,
)
from puredelta.schema.walk import each_field

# Under this key Spark stores the collations of the strings in a column.
COLLATIONS = "__COLLATIONS"

INVALID_CHARACTERS = " ,;{}()\n\t="

_TYPE_CHECK_SETTING = "spark.databricks.delta.schema.typeCheck.enabled"
_NOT_NULL_SETTING = "spark.databricks.delta.constraints.allowUnenforcedNotNull.enabled"
_MAX_DECIMAL_PRECISION = 38
_ROW_INDEX = "_tmp_metadata_row_index"
# Columns that scans and writes of this package add to those of a table.
_OURS = "__puredelta_"


def check_new_schema(
    schema: StructType, partition_columns: Sequence[str] = (), *, mapped: bool = False
) -> None:
    """Refuse a schema or partitioning that a table cannot have.

    Args:
        schema: All columns.
        partition_columns: Names of those that partition the table.
        mapped: Do columns have physical names? Then the logical ones may have any characters.

    Raises:
        DeltaAnalysisError: Duplicate names, characters that Parquet cannot have in names, types
            that cannot be stored, NOT NULL where it cannot be enforced, or partition columns that
            are unknown, repeated, of a wrong type or all there is.
    """
    check_duplicates(schema)
    check_types(schema)
    check_nullability(schema)
    # Protocol: Column Mapping. Physical names are in the files, so any logical name will do.
    if not mapped:
        check_names(schema, partition_columns)
    check_partitioning(schema, partition_columns)


def check_duplicates(
    schema: StructType, condition: str = "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE"
) -> None:
    """Refuse names that differ at most in case, at any depth.

    Args:
        schema: The columns.
        condition: The error condition, which says whose schema it is.
    """
    if repeated := repeated_names(schema):
        raise DeltaAnalysisError(condition, duplicateCols=", ".join(repeated))


def repeated_names(schema: StructType) -> list[str]:
    """Return the paths, in lower case, that several fields have when case does not count."""
    return list(dict.fromkeys(_repeated(schema, "")))


def check_reserved(before: StructType | None, after: StructType) -> None:
    """Refuse a new column whose name Spark's Parquet reader, or this package, takes for itself.

    Spark silently fills a column of its name with the row indexes in the file, so the written
    values are lost to readers. Nested columns may have the name.

    Args:
        before: The columns of the table; None for a new one.
        after: Its columns from now on.

    Raises:
        DeltaAnalysisError: PUREDELTA_RESERVED_COLUMN_NAME.
    """
    names = {field.name for field in before} if before is not None else set()
    for field in after:
        name = field.name.lower()
        # A table that another engine made with such a column stays writable.
        if (name == _ROW_INDEX or name.startswith(_OURS)) and field.name not in names:
            raise DeltaAnalysisError("PUREDELTA_RESERVED_COLUMN_NAME", columnName=field.name)


def check_names(schema: StructType, partition_columns: Sequence[str] = ()) -> None:
    """Refuse characters that names cannot have in Parquet files and in folder names."""
    if any(_is_invalid(name) for name in partition_columns):
        raise DeltaAnalysisError("DELTA_INVALID_PARTITION_COLUMN_NAME")
    invalid = invalid_names(schema)
    if invalid:
        raise DeltaAnalysisError(
            "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", invalidColumnNames=", ".join(invalid)
        )


def invalid_names(schema: StructType) -> list[str]:
    """Return the paths of the fields whose names Parquet files cannot have."""
    return [path for path, name in _names(schema, "") if _is_invalid(name)]


def check_types(schema: StructType) -> None:
    """Refuse types that a table cannot store."""
    unsupported = list(_unsupported(schema, ""))
    if unsupported:
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_DATA_TYPES",
            dataTypeList="[" + ", ".join(unsupported) + "]",
            config=_TYPE_CHECK_SETTING,
        )


def check_nullability(schema: StructType) -> None:
    """Refuse NOT NULL below arrays and maps, where no check of rows reaches."""
    for field in schema.fields:
        _check_nullability(field.name, field.data_type)


def check_partitioning(schema: StructType, partition_columns: Sequence[str]) -> None:
    """Refuse partition columns that are unknown, repeated, of a wrong type, or all there is."""
    lowered = [name.lower() for name in partition_columns]
    repeated = sorted({name for name in lowered if lowered.count(name) > 1})
    if repeated:
        raise DeltaAnalysisError(
            "DELTA_DUPLICATE_COLUMNS_FOUND.PARTITION_COLUMNS", duplicateCols=", ".join(repeated)
        )
    for name in partition_columns:
        field = schema.field(name)
        if field is None:
            raise DeltaAnalysisError(
                "DELTA_PARTITION_COLUMN_NOT_FOUND",
                columnName=name,
                schemaMap=", ".join(schema.names),
            )
        if not can_partition(field.data_type):
            raise DeltaAnalysisError(
                "DELTA_INVALID_PARTITION_COLUMN_TYPE",
                name=field.name,
                dataType=simple_string(field.data_type),
            )
    # Files do not contain partition columns, so they would have no column at all.
    if partition_columns and len(lowered) == len(schema.fields):
        raise DeltaAnalysisError("DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION")


def can_partition(data_type: DataType) -> bool:
    """Return whether a column of this type may partition a table."""
    if isinstance(data_type, PrimitiveType):
        return data_type not in (VARIANT, VOID)
    return isinstance(data_type, DecimalType)


def _repeated(data_type: DataType, above: str) -> Iterator[str]:
    if isinstance(data_type, StructType):
        seen: set[str] = set()
        for field in data_type.fields:
            path = f"{above}{field.name}"
            if field.name.lower() in seen:
                yield path.lower()
            seen.add(field.name.lower())
            yield from _repeated(field.data_type, f"{path}.")
    elif isinstance(data_type, ArrayType):
        yield from _repeated(data_type.element_type, f"{above}element.")
    elif isinstance(data_type, MapType):
        yield from _repeated(data_type.key_type, f"{above}key.")
        yield from _repeated(data_type.value_type, f"{above}value.")


def _names(data_type: DataType, above: str) -> Iterator[tuple[str, str]]:
    """Paths and names of all fields."""
    if isinstance(data_type, StructType):
        for field in data_type.fields:
            yield f"{above}{field.name}", field.name
            yield from _names(field.data_type, f"{above}{field.name}.")
    elif isinstance(data_type, ArrayType):
        yield from _names(data_type.element_type, f"{above}element.")
    elif isinstance(data_type, MapType):
        yield from _names(data_type.key_type, f"{above}key.")
        yield from _names(data_type.value_type, f"{above}value.")


def _nested_types(data_type: DataType, path: str) -> Iterator[tuple[str, DataType]]:
    """All types below a type, with the path of each."""
    if isinstance(data_type, StructType):
        for field in data_type.fields:
            below = f"{path}.{field.name}" if path else field.name
            yield below, field.data_type
            yield from _nested_types(field.data_type, below)
    elif isinstance(data_type, ArrayType):
        yield f"{path}.element", data_type.element_type
        yield from _nested_types(data_type.element_type, f"{path}.element")
    elif isinstance(data_type, MapType):
        yield f"{path}.key", data_type.key_type
        yield from _nested_types(data_type.key_type, f"{path}.key")
        yield f"{path}.value", data_type.value_type
        yield from _nested_types(data_type.value_type, f"{path}.value")


def _is_invalid(name: str) -> bool:
    return any(character in INVALID_CHARACTERS for character in name)


def _unsupported(schema: StructType, above: str) -> Iterator[str]:
    for field in schema:
        # The stored type would be plain `string`, by which other engines compare otherwise.
        if COLLATIONS in field.metadata:
            yield f"{field.name}: string with a collation"
    for path, data_type in _nested_types(schema, above):
        # Files contain what a class stores, so the rules are those of the stored type.
        stored = data_type.sql_type if isinstance(data_type, UserDefinedType) else data_type
        if isinstance(stored, UnknownType):
            yield f"{path}: {stored.text}"
        elif isinstance(stored, DecimalType) and not _is_storable_decimal(stored):
            yield f"{path}: {simple_string(stored)}"
        elif stored is not data_type and isinstance(stored, StructType):
            yield from _unsupported(stored, path)


def _is_storable_decimal(data_type: DecimalType) -> bool:
    return 0 <= data_type.scale <= data_type.precision <= _MAX_DECIMAL_PRECISION


def _check_nullability(path: str, data_type: DataType) -> None:
    if isinstance(data_type, StructType):
        for field in data_type.fields:
            _check_nullability(f"{path}.{field.name}", field.data_type)
    elif isinstance(data_type, ArrayType):
        _refuse_not_null(path, "element", data_type.element_type)
    elif isinstance(data_type, MapType):
        _refuse_not_null(path, "key", data_type.key_type)
        _refuse_not_null(path, "value", data_type.value_type)


def _refuse_not_null(parent: str, part: str, data_type: DataType) -> None:
    if isinstance(data_type, StructType):
        if any(not field.nullable for field in data_type.fields):
            raise DeltaAnalysisError(
                "DELTA_NESTED_NOT_NULL_CONSTRAINT",
                nestType=part,
                parent=parent,
                configKey=_NOT_NULL_SETTING,
                nestedPrettyJson=simple_string(data_type),
            )
        for field in data_type.fields:
            _check_nullability(f"{parent}.{part}.{field.name}", field.data_type)
    else:
        _check_nullability(f"{parent}.{part}", data_type)


def without_nested_not_null(schema: StructType) -> StructType:
    """Return a schema without NOT NULL inside arrays and maps, where no writer checks it."""
    return StructType(tuple(replace(f, data_type=_relaxed(f.data_type)) for f in schema))


def _relaxed(data_type: DataType) -> DataType:
    match data_type:
        case StructType():
            return without_nested_not_null(data_type)
        case ArrayType(element):
            return replace(data_type, element_type=_nullable(element))
        case MapType(key, value):
            return replace(data_type, key_type=_nullable(key), value_type=_nullable(value))
        case _:
            return data_type


def _nullable(data_type: DataType) -> DataType:
    inner = StructType((StructField("inner", data_type),))
    return each_field(inner, lambda field: replace(field, nullable=True)).fields[0].data_type
