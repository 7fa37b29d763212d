"""Which column of a DataFrame goes into which column of a table, and what the table must grow."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    IntegerType,
    MapType,
    NullType,
    ShortType,
    StructField,
    StructType,
)

from puredelta.engine.casting import same_type
from puredelta.errors.classes import DeltaAnalysisError

_SMALL_INTEGERS = (ByteType, ShortType, IntegerType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a write's columns are matched.

    Attributes:
        table: the table's name, for errors.
        by_name: match columns by name; else by position.
        evolve: let the table grow by columns that it lacks.
        same_types: refuse other types instead of casting, as writes to a path do.
    """

    table: str
    by_name: bool
    evolve: bool
    same_types: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The outcome: the table's schema after the write, and where each column's values come from.

    Attributes:
        schema: all columns of the table, grown if need be.
        sources: for each of them the place of the DataFrame's column, None where it has none.
    """

    schema: StructType
    sources: tuple[int | None, ...]


def match(data: StructType, table: StructType, rules: Rules) -> Match:
    """Match a DataFrame's columns to a table's.

    Args:
        data: the DataFrame's schema.
        table: the table's schema.
        rules: how.

    Raises:
        DeltaAnalysisError: DELTA_INSERT_COLUMN_ARITY_MISMATCH, DELTA_METADATA_MISMATCH,
            DELTA_DUPLICATE_COLUMNS_FOUND.DATA, DELTA_FAILED_TO_MERGE_FIELDS.
    """
    found = _by_name(data, table) if rules.by_name else _by_position(data, table, rules)
    if rules.evolve or rules.same_types:
        fields = [
            _merged(field, None if place is None else data[place], rules)
            for field, place in zip(found.schema, found.sources, strict=True)
        ]
        found = Match(schema=StructType(fields), sources=found.sources)
    extra = found.schema.fields[len(table) :]
    if extra and not rules.evolve:
        raise _mismatch(rules, [f"the data has a column `{f.name}` {_type(f)} more" for f in extra])
    return found


def as_stored(field: StructField) -> StructField:
    """Return a data column as a table takes it up: it may be null, at every depth."""
    return StructField(field.name, nullable_type(field.dataType), True, field.metadata)


def nullable_type(data_type: DataType) -> DataType:
    """Return a type whose parts may all be null."""
    if isinstance(data_type, StructType):
        return StructType([as_stored(field) for field in data_type])
    if isinstance(data_type, ArrayType):
        return ArrayType(nullable_type(data_type.elementType), containsNull=True)
    if isinstance(data_type, MapType):
        key, value = nullable_type(data_type.keyType), nullable_type(data_type.valueType)
        return MapType(key, value, valueContainsNull=True)
    return data_type


def _by_name(data: StructType, table: StructType) -> Match:
    places = {field.name.lower(): i for i, field in enumerate(data)}
    if len(places) < len(data):
        names = [field.name.lower() for field in data]
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise DeltaAnalysisError(
            "DELTA_DUPLICATE_COLUMNS_FOUND.DATA", duplicateCols=", ".join(repeated)
        )
    known = {field.name.lower() for field in table}
    extra = [field for field in data if field.name.lower() not in known]
    schema = StructType([*table, *(as_stored(field) for field in extra)])
    return Match(schema=schema, sources=tuple(places.get(f.name.lower()) for f in schema))


def _by_position(data: StructType, table: StructType, rules: Rules) -> Match:
    if len(data) < len(table):
        raise DeltaAnalysisError(
            "DELTA_INSERT_COLUMN_ARITY_MISMATCH",
            tableName=rules.table,
            columnName="not enough data columns; the target table",
            numColumns=len(table),
            insertColumns=len(data),
        )
    extra = data.fields[len(table) :]
    schema = StructType([*table, *(as_stored(field) for field in extra)])
    return Match(schema=schema, sources=tuple(range(len(data))))


def _merged(field: StructField, source: StructField | None, rules: Rules) -> StructField:
    if source is None:
        return field
    merged = _merged_type(field.dataType, source.dataType, field.name, rules)
    return StructField(field.name, merged, field.nullable, field.metadata)


def _merged_type(kept: DataType, given: DataType, name: str, rules: Rules) -> DataType:
    if isinstance(kept, StructType) and isinstance(given, StructType):
        return _merged_struct(kept, given, name, rules)
    if isinstance(kept, ArrayType) and isinstance(given, ArrayType):
        element = _merged_type(kept.elementType, given.elementType, f"{name}.element", rules)
        return ArrayType(element, kept.containsNull)
    if isinstance(kept, MapType) and isinstance(given, MapType):
        key = _merged_type(kept.keyType, given.keyType, f"{name}.key", rules)
        value = _merged_type(kept.valueType, given.valueType, f"{name}.value", rules)
        return MapType(key, value, kept.valueContainsNull)
    if isinstance(kept, NullType):
        return nullable_type(given)
    small = isinstance(kept, _SMALL_INTEGERS) and isinstance(given, _SMALL_INTEGERS)
    if rules.same_types and not (small or isinstance(given, NullType) or same_type(kept, given)):
        raise DeltaAnalysisError(
            "DELTA_FAILED_TO_MERGE_FIELDS",
            currentField=name,
            updateField=name,
            currentDataType=kept.simpleString(),
            updateDataType=given.simpleString(),
        )
    return kept


def _merged_struct(kept: StructType, given: StructType, name: str, rules: Rules) -> StructType:
    places = {field.name.lower(): field for field in given}
    known = {field.name.lower() for field in kept}
    extra = [field for field in given if field.name.lower() not in known]
    if extra and not rules.evolve:
        raise _mismatch(
            rules, [f"the data has a field `{name}.{f.name}` {_type(f)}" for f in extra]
        )
    fields = []
    for field in kept:
        source = places.get(field.name.lower())
        inner = (
            field.dataType
            if source is None
            else _merged_type(field.dataType, source.dataType, f"{name}.{field.name}", rules)
        )
        fields.append(StructField(field.name, inner, field.nullable, field.metadata))
    return StructType([*fields, *(as_stored(field) for field in extra)])


def _type(field: StructField) -> str:
    return field.dataType.simpleString()


def _mismatch(rules: Rules, differences: Sequence[str]) -> DeltaAnalysisError:
    return DeltaAnalysisError(
        "DELTA_METADATA_MISMATCH", table=rules.table, difference="; ".join(differences)
    )
