"""The rules by which columns of data are matched to a table's, and the errors for mismatches."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from puredelta.errors import DeltaAnalysisError, DeltaInvariantViolationError
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType
from puredelta.table.columns.type_widening import Widening
from puredelta.table.expressions.generated_columns import generation_of
from puredelta.table.protocol.defaults import default_of
from puredelta.table.protocol.feature_activation import IDENTITY_PREFIX

IN_DATA = "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"
IN_QUERY = "DELTA_DUPLICATE_COLUMNS_FOUND.READ_SCHEMA"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingRules:
    """How a write's columns are matched.

    Attributes:
        table: the table's name, for errors.
        by_name: match columns and fields by name; else by position.
        evolve: add the columns and fields that the table lacks, at any depth.
        same_types: refuse other types instead of casting, as writes to a path do.
        from_sql: it is an INSERT, which may leave out columns but no fields of structs.
        widening: which types the table may widen where it may evolve, instead of casting.
        fixed: names of columns whose type never changes: partition and identity columns.
        defaults: do new columns keep the defaults that they come with?
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


def places_by_name(data: StructType, table: StructType) -> list[int | None]:
    """Return the position in the data of each column of a table; None for missing ones."""
    places = {part.name.lower(): i for i, part in enumerate(data)}
    return [places.get(part.name.lower()) for part in table]


def check_distinct(names: Sequence[str], above: str, where: str) -> None:
    """Refuse names that differ at most in case.

    Args:
        names: those of a row or a struct.
        above: what is written before them, for errors.
        where: the condition, which says whose names they are.
    """
    counted = Counter(name.lower() for name in names)
    repeated = sorted(f"{above}{name}" for name, times in counted.items() if times > 1)
    if repeated:
        raise DeltaAnalysisError(where, duplicateCols=", ".join(repeated))


def check_distinct_inside(data_type: DataType, above: str, where: str) -> None:
    """Refuse names that differ at most in case in the structs of a type, at any depth."""
    for path, inner in _structs(data_type, above):
        check_distinct(inner.names, path, where)


def _structs(data_type: DataType, above: str) -> Iterator[tuple[str, StructType]]:
    """Yield the structs in a type, with what is written before the names of their fields."""
    if isinstance(data_type, StructType):
        yield above, data_type
        for part in data_type:
            yield from _structs(part.data_type, f"{above}{part.name}.")
    elif isinstance(data_type, ArrayType):
        yield from _structs(data_type.element_type, f"{above}element.")
    elif isinstance(data_type, MapType):
        yield from _structs(data_type.key_type, f"{above}key.")
        yield from _structs(data_type.value_type, f"{above}value.")


def check_count(what: str, given: int, wanted: int, rules: MatchingRules) -> None:
    """Refuse too few values for a row, or for a struct.

    Args:
        what: the row or the struct, by its path, for errors.
        given: how many values there are.
        wanted: how many there must be.
        rules: names the table.

    Raises:
        DeltaAnalysisError: DELTA_INSERT_COLUMN_ARITY_MISMATCH.
    """
    if given < wanted:
        raise DeltaAnalysisError(
            "DELTA_INSERT_COLUMN_ARITY_MISMATCH",
            tableName=rules.table,
            columnName=what,
            numColumns=wanted,
            insertColumns=given,
        )


def is_filled(metadata: Mapping[str, object]) -> bool:
    """Say whether a column that is left out gets values of its own, by its metadata."""
    is_identity = any(key.startswith(IDENTITY_PREFIX) for key in metadata)
    return is_identity or default_of(metadata) is not None or generation_of(metadata) is not None


def check_left_out(
    part: StructField, path: str, rules: MatchingRules, *, nested: bool = False
) -> None:
    """Refuse to leave out what has to have a value.

    Args:
        part: what is left out.
        path: where, for errors.
        rules: whether nulls may stand for it.
        nested: it is a field of a struct, which gets no default.

    Raises:
        DeltaAnalysisError: DELTA_INSERT_COLUMN_MISMATCH.
        DeltaInvariantViolationError: DELTA_MISSING_NOT_NULL_COLUMN_VALUE.
    """
    # Defaults, generated and identity columns exist at the top only.
    if not nested and is_filled(part.metadata):
        return
    refused = not rules.nulls and not nested
    # Null is the value of a column that is left out, unless the session forbids this for INSERT.
    if part.nullable and not (rules.from_sql and refused):
        return
    if rules.from_sql and not nested:
        raise DeltaAnalysisError("DELTA_INSERT_COLUMN_MISMATCH", columnName=path)
    raise DeltaInvariantViolationError("DELTA_MISSING_NOT_NULL_COLUMN_VALUE", columnName=path)
