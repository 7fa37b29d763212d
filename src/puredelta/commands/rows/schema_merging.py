"""A table's schema after a write: what of the data's it takes up, at any depth.

Fields of structs are matched as columns are, by name or by position.
"""

from collections.abc import Iterable, Sequence
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

from puredelta.commands.rows.matching_rules import (
    IN_DATA,
    IN_QUERY,
    Rules,
    check_count,
    check_distinct,
    check_distinct_inside,
    check_left_out,
    places_by_name,
)
from puredelta.engine.row_checks.store_assignment import same_type
from puredelta.errors.classes import DeltaAnalysisError, DeltaError
from puredelta.schema.codec import type_from_json
from puredelta.schema.datatypes import DataType as OurType
from puredelta.table.columns.column_mapping import without_mapping
from puredelta.table.columns.type_widening import widens
from puredelta.table.protocol.feature_activation import DEFAULT_KEY, GENERATION_KEY, IDENTITY_PREFIX

# Each may be widened to the next without the feature typeWidening.
_SMALL_INTEGERS = (ByteType, ShortType, IntegerType)


def as_stored(field: StructField) -> StructField:
    """Return a data column as a table takes it up: it may be null, at every depth."""
    metadata = without_mapping(field.metadata)
    return StructField(field.name, nullable_type(field.dataType), True, dict(metadata))


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
class Merging:
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
            where = IN_QUERY if above else IN_DATA
            check_distinct([*names, *(part.name for part in given)], above, where)
            for part in given:
                check_distinct_inside(part.dataType, f"{above}{part.name}.", IN_DATA)
            return [as_stored(_plain(part, defaults=self.rules.defaults)) for part in given]
        for part in given:
            where = part.dataType.simpleString()
            self.differences.append(
                f"the data has `{above}{part.name}` {where}, the table does not"
            )
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
        if same_type(kept, given):
            return kept
        if self._may_change(path) and widens(_ours(kept), _ours(given), self.rules.widening):
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

    def _may_change(self, path: str) -> bool:
        return self.rules.evolve and path not in self.rules.fixed

    def _changed(self, kept: DataType, given: DataType, path: str) -> DataType:
        if self._may_change(path):
            return given
        self.differences.append(
            f"`{path}` is {given.simpleString()} in the data and {kept.simpleString()} in the table"
        )
        return kept

    def _struct(self, kept: StructType, given: StructType, path: str) -> StructType:
        rules = self.rules
        if rules.by_name:
            sources = places_by_name(given, kept)
            if rules.from_sql and not rules.evolve and len(given) < len(kept):
                check_count(path, len(given), len(kept), rules)
        else:
            check_count(path, len(given), len(kept), rules)
            sources = list(range(len(kept)))
        fields = []
        for part, place in zip(kept, sources, strict=True):
            below = f"{path}.{part.name}"
            if place is None:
                check_left_out(part, below, rules, nested=True)
                fields.append(part)
            else:
                fields.append(self.field(part, given[place], below))
        extra = [given[i] for i in range(len(given)) if i not in set(sources)]
        return StructType([*fields, *self.grown(extra, kept.names, f"{path}.")])


def _plain(part: StructField, *, defaults: bool) -> StructField:
    """Return a field without what the column of another table may have given it.

    A column that rows do not have yet is not generated: their nulls would break its rule.
    """
    gone = (GENERATION_KEY, IDENTITY_PREFIX, *(() if defaults else (DEFAULT_KEY,)))
    kept = {key: value for key, value in part.metadata.items() if not key.startswith(gone)}
    if len(kept) == len(part.metadata):
        return part
    return StructField(part.name, part.dataType, part.nullable, kept)


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


def lacks_fields(source: DataType, target: DataType) -> bool:
    """Say whether a struct lacks, at any depth of structs, a field that the target's has."""
    if not isinstance(source, StructType) or not isinstance(target, StructType):
        return False
    there = {field.name.lower(): field.dataType for field in source}
    return any(
        field.name.lower() not in there or lacks_fields(there[field.name.lower()], field.dataType)
        for field in target
    )


def has_same_fields(source: DataType, target: DataType) -> bool:
    """Say whether the structs in two types have the same fields, at any depth."""
    match source, target:
        case StructType(), StructType():
            there = {field.name.lower(): field.dataType for field in source}
            return len(source) == len(target) and all(
                field.name.lower() in there
                and has_same_fields(there[field.name.lower()], field.dataType)
                for field in target
            )
        case ArrayType(), ArrayType():
            return has_same_fields(source.elementType, target.elementType)
        case MapType(), MapType():
            same_keys = has_same_fields(source.keyType, target.keyType)
            return same_keys and has_same_fields(source.valueType, target.valueType)
    return True
