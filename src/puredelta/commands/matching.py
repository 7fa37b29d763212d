"""Which column of a DataFrame goes into which column of a table, and what the table must grow.

Pure: types in, types out. Fields of structs are matched as columns are, by name or by position, at
any depth; what does not fit is told by its path.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    DecimalType,
    IntegerType,
    MapType,
    NullType,
    ShortType,
    StructField,
    StructType,
)

from puredelta.engine.casting import same_type
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaError,
    DeltaInvariantViolationError,
)
from puredelta.schema.codec import type_from_json
from puredelta.schema.datatypes import DataType as OurType
from puredelta.table.defaults import default_of
from puredelta.table.feature_use import DEFAULT_KEY
from puredelta.table.widening import Widening, widens

# Each may be widened to the next without the feature typeWidening.
_SMALL_INTEGERS = (ByteType, ShortType, IntegerType)

_IN_DATA = "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"
_IN_QUERY = "DELTA_DUPLICATE_COLUMNS_FOUND.READ_SCHEMA"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a write's columns are matched.

    Attributes:
        table: the table's name, for errors.
        by_name: match columns and fields by name; else by position.
        evolve: let the table grow by what it lacks, at any depth.
        same_types: refuse other types instead of casting, as writes to a path do.
        from_sql: it is an INSERT, which may leave out columns but no fields of structs.
        widening: which types the table may widen where it may evolve, instead of casting.
        fixed: names of columns whose type never changes: those that partition the table.
        defaults: may columns that the table grows by bring the defaults that they come with?
        nulls: a column that an INSERT leaves out is null where it has no default; else refused.
    """

    table: str
    by_name: bool
    evolve: bool
    same_types: bool
    from_sql: bool = False
    defaults: bool = False
    nulls: bool = True
    widening: Widening = Widening.NEVER
    fixed: frozenset[str] = frozenset()


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
            INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS, DELTA_INSERT_COLUMN_MISMATCH,
            DELTA_DUPLICATE_COLUMNS_FOUND.DATA and READ_SCHEMA, DELTA_FAILED_TO_MERGE_FIELDS.
        DeltaInvariantViolationError: DELTA_MISSING_NOT_NULL_COLUMN_VALUE.
    """
    matching = _Matching(rules)
    if rules.by_name:
        _check_names(data, table, rules)
        sources = _places_by_name(data, table)
    else:
        _check_count("it", len(data), len(table), rules)
        sources = [i if i < len(data) else None for i in range(len(table))]
    kept = [
        part if place is None else matching.field(part, data[place], part.name)
        for part, place in zip(table, sources, strict=True)
    ]
    for part, place in zip(table, sources, strict=True):
        if place is None:
            _check_left_out(part, part.name, rules)
    taken = set(sources)
    extra = [i for i in range(len(data)) if i not in taken]
    new = matching.grown([data[i] for i in extra], table.names, "")
    matching.finish()
    return Match(schema=StructType([*kept, *new]), sources=(*sources, *extra))


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


@dataclass(slots=True)
class _Matching:
    """One run over two schemas, which collects all that the data has too much.

    Attributes:
        rules: how.
        differences: what only a change of the table's schema would take in.
    """

    rules: Rules
    differences: list[str] = field(default_factory=list)

    def finish(self) -> None:
        """Refuse what was collected."""
        if self.differences:
            raise DeltaAnalysisError(
                "DELTA_METADATA_MISMATCH",
                table=self.rules.table,
                difference="; ".join(self.differences),
            )

    def field(self, kept: StructField, given: StructField, path: str) -> StructField:
        """Return a field of the table after the write."""
        merged = self._type(kept.dataType, given.dataType, path)
        return StructField(kept.name, merged, kept.nullable, kept.metadata)

    def grown(
        self, given: Sequence[StructField], names: Iterable[str], above: str
    ) -> list[StructField]:
        """Return the fields that the table must grow, or note that it must not."""
        if given and self.rules.evolve:
            told = _IN_QUERY if above else _IN_DATA
            _check_distinct([*names, *(part.name for part in given)], above, told)
            for part in given:
                _check_distinct_inside(part.dataType, f"{above}{part.name}.", _IN_DATA)
            return [as_stored(part if self.rules.defaults else _plain(part)) for part in given]
        for part in given:
            told = part.dataType.simpleString()
            self.differences.append(f"the data has `{above}{part.name}` {told}, the table does not")
        return []

    def _type(self, kept: DataType, given: DataType, path: str) -> DataType:
        match kept, given:
            case StructType(), StructType():
                return self._struct(kept, given, path)
            case ArrayType(), ArrayType():
                element = self._type(kept.elementType, given.elementType, f"{path}.element")
                return ArrayType(element, kept.containsNull)
            case MapType(), MapType():
                key = self._type(kept.keyType, given.keyType, f"{path}.key")
                value = self._type(kept.valueType, given.valueType, f"{path}.value")
                return MapType(key, value, kept.valueContainsNull)
            case _, NullType():
                return kept
            case NullType(), _:
                return self._changed(kept, nullable_type(given), path)
        if same_type(kept, given) or path in self.rules.fixed:
            return kept
        if self.rules.evolve and widens(_ours(kept), _ours(given), self.rules.widening):
            return given
        return self._merged(kept, given, path) if self.rules.same_types else kept

    def _merged(self, kept: DataType, given: DataType, path: str) -> DataType:
        """Return the type that two different ones have in common, where no value is cast."""
        if isinstance(kept, _SMALL_INTEGERS) and isinstance(given, _SMALL_INTEGERS):
            wider = _SMALL_INTEGERS.index(type(given)) > _SMALL_INTEGERS.index(type(kept))
            return self._changed(kept, given, path) if wider else kept
        raise DeltaAnalysisError(
            "DELTA_FAILED_TO_MERGE_FIELDS",
            currentField=path,
            updateField=path,
            currentDataType=kept.simpleString(),
            updateDataType=given.simpleString(),
        ) from _incompatible(kept, given)

    def _changed(self, kept: DataType, given: DataType, path: str) -> DataType:
        if self.rules.evolve:
            return given
        self.differences.append(
            f"`{path}` is {given.simpleString()} in the data and {kept.simpleString()} in the table"
        )
        return kept

    def _struct(self, kept: StructType, given: StructType, path: str) -> StructType:
        rules = self.rules
        if rules.by_name:
            sources = _places_by_name(given, kept)
            if rules.from_sql and not rules.evolve and len(given) < len(kept):
                _check_count(path, len(given), len(kept), rules)
        else:
            _check_count(path, len(given), len(kept), rules)
            sources = list(range(len(kept)))
        fields = []
        for part, place in zip(kept, sources, strict=True):
            below = f"{path}.{part.name}"
            if place is None:
                _check_left_out(part, below, rules, nested=True)
                fields.append(part)
            else:
                fields.append(self.field(part, given[place], below))
        extra = [given[i] for i in range(len(given)) if i not in set(sources)]
        return StructType([*fields, *self.grown(extra, kept.names, f"{path}.")])


def _plain(part: StructField) -> StructField:
    """Return a field without a default, which the column of a table may have given it."""
    if DEFAULT_KEY not in part.metadata:
        return part
    kept = {key: value for key, value in part.metadata.items() if key != DEFAULT_KEY}
    return StructField(part.name, part.dataType, part.nullable, kept)


def _places_by_name(data: StructType, table: StructType) -> list[int | None]:
    places = {part.name.lower(): i for i, part in enumerate(data)}
    return [places.get(part.name.lower()) for part in table]


def _check_names(data: StructType, table: StructType, rules: Rules) -> None:
    """Refuse names that are not one column each, and columns that an INSERT has too many."""
    known = {part.name.lower() for part in table}
    told = _IN_DATA if rules.same_types or not known else _IN_QUERY
    _check_distinct(data.names, "", told)
    for part in data:
        if part.name.lower() in known:
            _check_distinct_inside(part.dataType, f"{part.name}.", told)
    reordered = [name.lower() for name in data.names[: len(table)]] != [
        name.lower() for name in table.names
    ]
    # One too many at the end is told by its name, as for columns by position.
    if rules.from_sql and not rules.evolve and len(data) > len(table) and reordered:
        raise DeltaAnalysisError(
            "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
            tableName=rules.table,
            tableColumns=", ".join(f"`{name}`" for name in table.names),
            dataColumns=", ".join(f"`{name}`" for name in data.names),
        )


def _check_distinct(names: Sequence[str], above: str, told: str) -> None:
    counted = Counter(name.lower() for name in names)
    repeated = sorted(f"{above}{name}" for name, times in counted.items() if times > 1)
    if repeated:
        raise DeltaAnalysisError(told, duplicateCols=", ".join(repeated))


def _check_distinct_inside(data_type: DataType, above: str, told: str) -> None:
    for path, inner in _structs(data_type, above):
        _check_distinct(inner.names, path, told)


def _structs(data_type: DataType, above: str) -> Iterator[tuple[str, StructType]]:
    """Yield the structs in a type, with what is written before the names of their fields."""
    if isinstance(data_type, StructType):
        yield above, data_type
        for part in data_type:
            yield from _structs(part.dataType, f"{above}{part.name}.")
    elif isinstance(data_type, ArrayType):
        yield from _structs(data_type.elementType, f"{above}element.")
    elif isinstance(data_type, MapType):
        yield from _structs(data_type.keyType, f"{above}key.")
        yield from _structs(data_type.valueType, f"{above}value.")


def _check_count(what: str, given: int, wanted: int, rules: Rules) -> None:
    if given < wanted:
        raise DeltaAnalysisError(
            "DELTA_INSERT_COLUMN_ARITY_MISMATCH",
            tableName=rules.table,
            columnName=what,
            numColumns=wanted,
            insertColumns=given,
        )


def _check_left_out(part: StructField, path: str, rules: Rules, *, nested: bool = False) -> None:
    """Refuse to leave out what has to have a value."""
    if default_of(part.metadata) is not None and not nested:
        return
    refused = not rules.nulls and not nested
    if part.nullable and not (rules.from_sql and refused):
        return
    if rules.from_sql and not nested:
        raise DeltaAnalysisError("DELTA_INSERT_COLUMN_MISMATCH", columnName=path)
    raise DeltaInvariantViolationError("DELTA_MISSING_NOT_NULL_COLUMN_VALUE", columnName=path)


def _ours(data_type: DataType) -> OurType:
    return type_from_json(data_type.json())


def _incompatible(kept: DataType, given: DataType) -> DeltaError:
    """Return why two types have nothing in common."""
    if isinstance(kept, DecimalType) and isinstance(given, DecimalType):
        ranges = f"{kept.simpleString()} and {given.simpleString()}"
        return DeltaAnalysisError("DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE", decimalRanges=ranges)
    return DeltaAnalysisError(
        "DELTA_MERGE_INCOMPATIBLE_DATATYPE",
        currentDataType=kept.simpleString(),
        updateDataType=given.simpleString(),
    )
