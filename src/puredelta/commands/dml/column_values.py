"""What a clause assigns: the columns of the target that it names, and the values they get."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import DataType, StringType, StructField, StructType

from puredelta.commands.dml.scopes import Expression
from puredelta.engine.catalyst.stored_expressions import Stored
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.engine.session.spark_types import type_from_spark
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.table.evolution.type_comparison import has_same_fields, lacks_fields
from puredelta.table.protocol.defaults import default_of

Path = tuple[str, ...]
"""A column, or a field in its structs, name by name."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A value for a column of the target or a field in it.

    Attributes:
        path: which, in the target's spelling.
        value: None for the column's default.
    """

    path: Path
    value: Expression | None

    @property
    def is_default(self) -> bool:
        """Whether a whole column is set to DEFAULT."""
        return self.value is None and len(self.path) == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignableColumns:
    """The target's columns, into which values are put.

    Attributes:
        schema: the columns after the MERGE.
        partitions: names of those that partition the table, where '' is null.
        assignment: how values are cast.
        evolves: structs may lack fields that the target's have.
    """

    schema: StructType
    partitions: frozenset[str]
    assignment: StoreAssignment
    evolves: bool

    def kept(self, old: Mapping[str, Expression]) -> dict[str, Column]:
        """Return what rows have that do not change: nulls in columns that are new.

        Args:
            old: the columns that the target has, by name.
        """
        return {field.name: self._old(field, old.get(field.name)) for field in self.schema}

    def updated(
        self, assigned: Sequence[Assigned], old: Mapping[str, Column], *, keeps_fields: bool
    ) -> dict[str, Column]:
        """Return the new values of the columns that a clause assigns to.

        Args:
            assigned: its assignments.
            old: the values there were.
            keeps_fields: a field that the new struct lacks keeps its value; else it gets null.
        """
        below: dict[str, list[Assigned]] = {}
        for assignment in assigned:
            below.setdefault(assignment.path[0], []).append(
                Assigned(assignment.path[1:], assignment.value)
            )
        return {
            name: self._stored(
                self.schema[name],
                self._put(self.schema[name], name, given, old[name], keeps_fields=keeps_fields),
            )
            for name, given in below.items()
        }

    def inserted(self, assigned: Sequence[Assigned]) -> dict[str, Column]:
        """Return the values of all columns of a new row: defaults in those not assigned to."""
        given = {assignment.path[0]: assignment.value for assignment in assigned}
        return {
            field.name: self._stored(field, self._given(field, field.name, given.get(field.name)))
            for field in self.schema
        }

    def _old(self, field: StructField, value: Expression | None) -> Column:
        if value is None:
            return F.lit(None).cast(field.dataType)
        return self.assignment.convert(value.column, value.type, field.dataType, field.name)

    def _put(
        self,
        field: StructField,
        path: str,
        given: Sequence[Assigned],
        old: Column,
        *,
        keeps_fields: bool,
    ) -> Column:
        """Return a value with what is assigned to it, or to fields inside of it."""
        [first, *_] = given
        # Overlapping paths were refused, so an assignment to the whole value is the only one.
        if not first.path:
            fill = old if keeps_fields else None
            return self._given(field, path, first.value, fill)
        below: dict[str, list[Assigned]] = {}
        for assignment in given:
            below.setdefault(assignment.path[0], []).append(
                Assigned(assignment.path[1:], assignment.value)
            )
        parts = []
        for part in _fields(field.dataType):
            there = old.getField(part.name)
            if part.name in below:
                inner = below[part.name]
                there = self._put(
                    part, f"{path}.{part.name}", inner, there, keeps_fields=keeps_fields
                )
            parts.append(there.alias(part.name))
        return F.struct(*parts)

    def _given(
        self, field: StructField, path: str, value: Expression | None, fill: Column | None = None
    ) -> Column:
        if value is None:
            text = default_of(field.metadata)
            if text is None:
                return F.lit(None).cast(field.dataType)
            return self.assignment.default(Stored.default(field.name, text), field.dataType)
        return self._converted(value.column, value.type, field.dataType, path, fill)

    def _converted(
        self, value: Column, source: DataType, target: DataType, path: str, fill: Column | None
    ) -> Column:
        """Cast a value; fields that its struct lacks are those of `fill`, else null."""
        # Equal types need no look into structs; every MERGE of plain columns takes this path.
        if source == target:
            return self.assignment.convert(value, source, target, path)
        given_type, stored_type = type_from_spark(source), type_from_spark(target)
        if not self.evolves and not has_same_fields(given_type, stored_type):
            raise DeltaAnalysisError(
                "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION",
                fromCatalog=source.simpleString(),
                toCatalog=target.simpleString(),
            )
        # With the same fields one cast of the whole struct does, which keeps the plan small.
        if not lacks_fields(given_type, stored_type):
            return self.assignment.convert(value, source, target, path)
        given = {part.name.lower(): part for part in _fields(source)}
        parts = []
        for part in _fields(target):
            there = None if fill is None else fill.getField(part.name)
            found = given.get(part.name.lower())
            if found is not None:
                inner, below = value.getField(found.name), f"{path}.{part.name}"
                there = self._converted(inner, found.dataType, part.dataType, below, there)
            elif there is None:
                there = F.lit(None).cast(part.dataType)
            parts.append(there.alias(part.name))
        # Of a null struct, what the target alone has is still there.
        is_null = value.isNull() if fill is None else value.isNull() & fill.isNull()
        return F.when(is_null, F.lit(None)).otherwise(F.struct(*parts))

    def _stored(self, field: StructField, value: Column) -> Column:
        if field.name.lower() in self.partitions and isinstance(field.dataType, StringType):
            # Protocol: Partition Value Serialization. The log reads '' as null, so it is null from
            # here.
            return F.nullif(value, F.lit(""))
        return value


def _fields(data_type: DataType) -> list[StructField]:
    assert isinstance(data_type, StructType)  # noqa: S101  # paths lead through structs only
    return data_type.fields


def is_default(value: Column) -> bool:
    """Say whether a value is the word DEFAULT, in a statement or as a text or Column of Python."""
    column: Any = value._jc
    return str(column.node().sql()).strip().strip("`").upper() == "DEFAULT"


# --------------------------------------- paths: names in, names out; case distinguishes no columns


def target_path(given: Path, alias: Path, schema: StructType) -> Path | None:
    """Return a column or a field of the target in its own spelling; None where there is none.

    Args:
        given: its path, with what the target is called in front or without.
        alias: what the target is called, in parts.
        schema: the target's columns.
    """
    for path in _unqualified(given, alias):
        found = spelled_path(path, schema)
        if found is not None:
            return found
    return None


def new_path(given: Path, alias: Path) -> Path:
    """Return the path of a column that the target does not have."""
    return next(_unqualified(given, alias))


def overlapping(paths: Sequence[Path]) -> list[Path]:
    """Return the paths that are assigned to twice, in whole or in part."""
    lowered = [tuple(name.lower() for name in path) for path in paths]
    return [
        path
        for place, (path, low) in enumerate(zip(paths, lowered, strict=True))
        if any(_is_within(low, other) for i, other in enumerate(lowered) if i != place)
    ]


def _is_within(path: Path, other: Path) -> bool:
    shared = min(len(path), len(other))
    return path[:shared] == other[:shared]


def _unqualified(given: Path, alias: Path) -> Iterator[Path]:
    """Yield what a path may mean: first without the table's name, longest form first."""
    lowered = tuple(name.lower() for name in given)
    # `t.id` may be column `id` of table `t` or field `id` of column `t`: the table has precedence.
    for start in range(len(alias)):
        name = tuple(part.lower() for part in alias[start:])
        if len(given) > len(name) and lowered[: len(name)] == name:
            yield given[len(name) :]
    yield given


def spelled_path(path: Path, schema: StructType) -> Path | None:
    """Return a path in the spelling of a table; None where the table does not have it."""
    spelled: list[str] = []
    inner: DataType = schema
    for name in path:
        if not isinstance(inner, StructType):
            return None
        field = next((part for part in inner if part.name.lower() == name.lower()), None)
        if field is None:
            return None
        spelled.append(field.name)
        inner = field.dataType
    return tuple(spelled)
