"""Identity columns: numbers that are assigned to rows as they are written.

Protocol: Identity Columns. The metadata of the column has its start, its step, the high-water mark
(the last number that was allocated) and whether rows may bring numbers of their own. A number is
assigned once: its writer moves the mark past it, in the commit that has the rows or before it.

A table that replaces another starts with what it declares. A statement that restores old metadata
(RESTORE), or copies it with its rows (CLONE), has to keep the farther of two marks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import msgspec

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaArithmeticError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import Metadata
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, StructField, StructType, simple_string
from puredelta.schema.walk import each_field
from puredelta.table.protocol.feature_activation import (
    DEFAULT_KEY,
    GENERATION_KEY,
    IDENTITY_PREFIX,
    all_fields,
)
from puredelta.table.protocol.protocol import schema_of

START_KEY = "delta.identity.start"
STEP_KEY = "delta.identity.step"
MARK_KEY = "delta.identity.highWaterMark"
EXPLICIT_KEY = "delta.identity.allowExplicitInsert"

MINIMUM, MAXIMUM = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class IdentityColumn:
    """The definition of an identity column.

    Attributes:
        name: the column's.
        start: the first number.
        step: what a number is above the one before; never 0.
        mark: the high-water mark, the last number that was allocated; None if there is none.
        allows_explicit: may rows bring a number?
    """

    name: str
    start: int
    step: int
    mark: int | None = None
    allows_explicit: bool = False

    @property
    def base(self) -> int:
        """The next number to be assigned.

        Raises:
            DeltaArithmeticError: PUREDELTA_IDENTITY_OVERFLOW when there is none.
        """
        return self.start if self.mark is None else self._fitting(self.mark + self.step)

    def after(self, count: int) -> int:
        """Return the last of so many numbers that are assigned next.

        Raises:
            DeltaArithmeticError: PUREDELTA_IDENTITY_OVERFLOW when there are not so many.
        """
        return self._fitting(self.base + (count - 1) * self.step)

    def is_past(self, value: int, other: int) -> bool:
        """Say whether a number comes after another, in the direction of the step."""
        return value > other if self.step > 0 else value < other

    def farthest(self, bounds: tuple[int, int]) -> int:
        """Return which of the minimum and the maximum of some numbers comes last."""
        return bounds[1] if self.step > 0 else bounds[0]

    def marked(self, value: int) -> IdentityColumn:
        """Return the column with a high-water mark past a number, which no later row may get.

        The mark goes to the first number of the column that is not before it, and never back; a
        number before the start leaves it alone.
        """
        # Numbers before the start are never assigned, so they cannot collide.
        if self.is_past(self.start, value):
            return self
        mark = self.start - (self.start - value) // self.step * self.step
        # The value fits in a LONG, but the next number of the column after it may not.
        if not MINIMUM <= mark <= MAXIMUM:
            mark = mark - self.step
        # A mark that moves back would assign numbers twice.
        if self.mark is not None and not self.is_past(mark, self.mark):
            return self
        return replace(self, mark=mark)

    def steps_between(self, first: int, last: int) -> int:
        """Count the numbers from one to another, both among them."""
        return (last - first) // self.step + 1

    def _fitting(self, value: int) -> int:
        if MINIMUM <= value <= MAXIMUM:
            return value
        raise DeltaArithmeticError("PUREDELTA_IDENTITY_OVERFLOW", colName=self.name)


def identity_of(name: str, metadata: Mapping[str, object]) -> IdentityColumn | None:
    """Return the definition in the metadata of a field; None when it is no identity column.

    Raises:
        DeltaAnalysisError: DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA.
    """
    if not any(key.startswith(IDENTITY_PREFIX) for key in metadata):
        return None
    start, step = _whole(metadata.get(START_KEY)), _whole(metadata.get(STEP_KEY))
    explicit, mark = metadata.get(EXPLICIT_KEY), _whole(metadata.get(MARK_KEY))
    if start is None or step is None or not isinstance(explicit, bool):
        raise DeltaAnalysisError(
            "DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA",
            colName=name,
            hasStart=start is not None,
            hasStep=step is not None,
            hasInsert=isinstance(explicit, bool),
        )
    return IdentityColumn(name, start, step, mark, explicit)


def identity_columns(schema: StructType) -> tuple[IdentityColumn, ...]:
    """Return the identity columns of a table, in order."""
    found = (identity_of(field.name, field.metadata) for field in schema)
    return tuple(column for column in found if column is not None)


def identity_metadata(column: IdentityColumn) -> dict[str, object]:
    """Return the metadata of an identity column."""
    metadata: dict[str, object] = {
        START_KEY: column.start,
        STEP_KEY: column.step,
        EXPLICIT_KEY: column.allows_explicit,
    }
    return metadata if column.mark is None else {**metadata, MARK_KEY: column.mark}


def check_identity_columns(schema: StructType, partition_columns: Collection[str]) -> None:
    """Refuse columns that cannot be identity columns.

    Args:
        schema: of a table that is to be made.
        partition_columns: names, in any case.

    Raises:
        DeltaAnalysisError: DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP, ..._PARTITION_NOT_SUPPORTED,
            ..._WITH_GENERATED_EXPRESSION, PUREDELTA_IDENTITY_WITH_DEFAULT,
            PUREDELTA_IDENTITY_IN_STRUCT, DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA.
        DeltaUnsupportedOperationError: DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE.
    """
    partitions = {name.lower() for name in partition_columns}
    # By object: a nested field may equal a field at the top.
    top = {id(field) for field in schema}
    for field in all_fields(schema):
        column = identity_of(field.name, field.metadata)
        if column is None:
            continue
        if id(field) not in top:
            raise DeltaAnalysisError("PUREDELTA_IDENTITY_IN_STRUCT", colName=field.name)
        _check(field, column, is_partition=field.name.lower() in partitions)


def _check(field: StructField, column: IdentityColumn, *, is_partition: bool) -> None:
    if field.data_type != LONG:
        raise DeltaUnsupportedOperationError(
            "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
            dataType=simple_string(field.data_type),
        )
    if column.step == 0:
        raise DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP")
    if GENERATION_KEY in field.metadata:
        raise DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION")
    if DEFAULT_KEY in field.metadata:
        raise DeltaAnalysisError("PUREDELTA_IDENTITY_WITH_DEFAULT", colName=field.name)
    if is_partition:
        raise DeltaAnalysisError(
            "DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED", colName=field.name
        )


def check_not_given(schema: StructType, given: Iterable[str]) -> None:
    """Refuse values for identity columns that are GENERATED ALWAYS.

    Args:
        schema: the table's.
        given: names of the columns that the data has.

    Raises:
        DeltaAnalysisError: DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED.
    """
    names = {name.lower() for name in given}
    for column in identity_columns(schema):
        if column.name.lower() in names and not column.allows_explicit:
            raise DeltaAnalysisError(
                "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED", colName=column.name
            )


def check_kept(before: StructField, new: StructField) -> None:
    """Refuse to change an identity column in more than its name, position and comment.

    Raises:
        DeltaAnalysisError: DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED.
    """
    if identity_of(before.name, before.metadata) is None:
        return
    is_same = (new.data_type, new.nullable) == (before.data_type, before.nullable)
    # Nulls, another type or a default would break the rule that the column assigns each number.
    if not is_same or DEFAULT_KEY in new.metadata:
        raise DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED")


def check_replaceable(schema: StructType) -> None:
    """Refuse to replace the list of columns of a table that has identity columns.

    Raises:
        DeltaAnalysisError: DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED.
    """
    if identity_columns(schema):
        raise DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED")


def with_high_water_marks(metadata: Metadata, marks: Mapping[str, int | None]) -> Metadata:
    """Return metadata with other high-water marks for some columns; None removes a mark."""
    schema = schema_of(metadata)
    fields = tuple(
        _with_mark(field, marks[field.name]) if field.name in marks else field for field in schema
    )
    if fields == schema.fields:
        return metadata
    return msgspec.structs.replace(metadata, schema_string=schema_to_json(StructType(fields)))


def differs_in_high_water_marks_only(before: Metadata, after: Metadata) -> bool:
    """Return whether metadata differs, and in nothing but the high-water marks."""
    return before != after and _unmarked(before) == _unmarked(after)


def _unmarked(metadata: Metadata) -> tuple[Metadata, StructType]:
    bare = each_field(schema_of(metadata), lambda field: _with_mark(field, None))
    return msgspec.structs.replace(metadata, schema_string=""), bare


def _with_mark(field: StructField, mark: int | None) -> StructField:
    if mark is not None:
        return replace(field, metadata={**field.metadata, MARK_KEY: mark})
    if MARK_KEY not in field.metadata:
        return field
    kept = {key: value for key, value in field.metadata.items() if key != MARK_KEY}
    return replace(field, metadata=kept)


def _whole(value: object) -> int | None:
    # In Python a bool is an int, and JSON's `true` is no number.
    return value if isinstance(value, int) and not isinstance(value, bool) else None
