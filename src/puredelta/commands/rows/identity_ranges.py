"""The identity values of a write: where they start, and how a range that is lost is replaced."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

from pyspark.sql.types import StructField, StructType

from puredelta.commands.rows.file_writing import discard, written_paths
from puredelta.commands.rows.layout import layout_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.engine.row_checks.identity_values import bounds_in_files
from puredelta.engine.session.context import Context
from puredelta.engine.write.footers import Bounds, WrittenFiles
from puredelta.errors.classes import MetadataChangedError
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import decode_path
from puredelta.table.expressions.identity_columns import (
    MARK_KEY,
    IdentityColumn,
    differs_in_high_water_marks_only,
    identity_columns,
    identity_of,
    with_high_water_marks,
)
from puredelta.txn.commit_info import IDENTITY_ONLY_TAG, Operation

_logger = logging.getLogger(__name__)

LastValues = Mapping[str, int]
"""The last value that a write gave to each identity column that got one."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class IdentityRange:
    """Values that one write alone gives out: those after a high-water mark, up to the last."""

    mark: int | None
    last: int


Ranges = Mapping[str, IdentityRange]
"""Ranges reserved for one write, by column; empty for most, whose own commit moves the marks."""

NO_RANGES: Ranges = MappingProxyType({})


class IdentityRangeLostError(Exception):
    """A write that has to be made again with values of its own.

    Attributes:
        wanted: how many values each column needs.
        lost: why its commit was not made, if it came to that.
    """

    def __init__(self, wanted: Mapping[str, int], lost: MetadataChangedError | None = None) -> None:
        super().__init__(dict(wanted))
        self.wanted = wanted
        self.lost = lost


def run_with_identity(
    context: Context,
    table: TableRef,
    before: Snapshot,
    attempt: Callable[[Snapshot, Ranges], Result],
    *,
    ranges: Ranges = NO_RANGES,
) -> Result:
    """Make a write; make it again, with reserved values, when another writer gave out the same.

    Args:
        context: the session.
        table: the table.
        before: the version that the write starts from.
        attempt: writes and commits, on top of a version, with ranges for its `IdentityAllocation`.
        ranges: values that are reserved already.

    Raises:
        DeltaError: what the attempt raises.
        MetadataChangedError: more than high-water marks has changed since.
        DeltaArithmeticError: PUREDELTA_IDENTITY_OVERFLOW.
    """
    # Protocol: Identity Columns. High-water marks are metadata, and concurrent changes of metadata
    # conflict. With a reserved range the next attempt changes no metadata.
    while True:
        try:
            return attempt(before, ranges)
        except IdentityRangeLostError as error:
            lost = error
        # Outside of the handler: what fails here is no consequence of the lost range.
        before, ranges = reserve(context, table, before.metadata, lost)


@dataclass(frozen=True, slots=True)
class IdentityAllocation:
    """The identity values that one attempt of a write gives to its rows.

    Attributes:
        columns: the columns that get values, with the marks after which these start.
        ranges: the values that are reserved for this write.
    """

    columns: tuple[IdentityColumn, ...] = ()
    ranges: Ranges = field(default_factory=dict)

    @classmethod
    def of(cls, fields: Iterable[StructField], ranges: Ranges) -> "IdentityAllocation":
        """Return the values for those of some columns that are identity columns.

        Args:
            fields: the columns that the data of the write lacks.
            ranges: the values that are reserved for this write.
        """
        found = (identity_of(field.name, field.metadata) for field in fields)
        columns = tuple(column for column in found if column is not None)
        # A range for some of the columns only would leave the others to move their marks.
        if any(column.name not in ranges for column in columns):
            return cls(columns)
        return cls(
            tuple(replace(column, mark=ranges[column.name].mark) for column in columns), ranges
        )

    def with_start(self, schema: StructType) -> StructType:
        """Return a schema whose identity columns start where the values of this write do."""
        if not self.ranges:
            return schema
        ours = {column.name: column for column in self.columns}
        return StructType([_starting(field, ours.get(field.name)) for field in schema])

    @contextmanager
    def commit_scope(
        self,
        target: WriteTarget,
        numbered: WrittenFiles,
        *others: WrittenFiles,
        can_repeat: bool,
    ) -> Iterator[Metadata]:
        """Yield the metadata to commit in this context, with the high-water marks moved.

        Files that cannot be committed are removed before the write is made again.

        Args:
            target: the table.
            numbered: the files with the rows that got values.
            others: files that the write made besides.
            can_repeat: whether the write may be made again on top of a later version.

        Raises:
            IdentityRangeLostError: the write is to be made again.
        """
        files = (numbered, *others)
        values = self._last_values(target, numbered)
        try:
            yield self._with_high_water_marks(target.metadata, values)
        except IdentityRangeLostError:
            discard(target, written_paths(*files))
            raise
        except MetadataChangedError as lost:
            if not (can_repeat and values):
                raise
            discard(target, written_paths(*files))
            raise IdentityRangeLostError(self._counts(values), lost) from lost

    def _last_values(self, target: WriteTarget, numbered: WrittenFiles) -> LastValues:
        """Return the last value that each column got; columns without rows are left out."""
        if not numbered.files:
            return {}
        return {
            column.name: column.farthest(_bounds(column, target, numbered))
            for column in self.columns
        }

    def _with_high_water_marks(self, metadata: Metadata, values: LastValues) -> Metadata:
        """Return metadata with the marks that the write leaves.

        Raises:
            IdentityRangeLostError: the reserved values did not suffice.
        """
        given = [column for column in self.columns if column.name in values]
        if not self.ranges:
            marks = {column.name: column.marked(values[column.name]).mark for column in given}
            return with_high_water_marks(metadata, marks)
        if any(
            column.is_past(values[column.name], self.ranges[column.name].last) for column in given
        ):
            counts = self._counts(values)
            # How far the numbers go depends on how tasks split the rows, which may differ next
            # time: twice the number leaves room.
            raise IdentityRangeLostError({name: 2 * count for name, count in counts.items()})
        return metadata

    def _counts(self, values: LastValues) -> dict[str, int]:
        """Return how many values each column went through."""
        return {
            column.name: column.steps_between(column.base, values[column.name])
            for column in self.columns
            if column.name in values
        }


def reserve(
    context: Context, table: TableRef, expected: Metadata, taken: IdentityRangeLostError
) -> tuple[Snapshot, dict[str, IdentityRange]]:
    """Move the marks of a table past values that one write will then give out alone.

    Args:
        context: the session.
        table: the table.
        expected: its metadata as the write found it.
        taken: what the write needs.

    Returns:
        The version made, and the ranges.

    Raises:
        MetadataChangedError: more than marks has changed since.
        DeltaArithmeticError: PUREDELTA_IDENTITY_OVERFLOW.
    """
    while True:
        before = table.log().latest()
        if taken.lost is not None and not _is_as_expected(before.metadata, expected):
            raise taken.lost
        columns = [
            column for column in identity_columns(before.schema) if column.name in taken.wanted
        ]
        ranges = {
            column.name: IdentityRange(column.mark, column.after(taken.wanted[column.name]))
            for column in columns
        }
        marks = {name: own.last for name, own in ranges.items()}
        try:
            made = begin(context, table, before).commit(
                [], _operation(marks), metadata=with_high_water_marks(before.metadata, marks)
            )
        # Another writer reserved a range first: the next one starts after it.
        except MetadataChangedError:
            continue
        _logger.info(
            "Another write gave out identity values of %s first: those up to %s are reserved in "
            "version %d, and the rows are written again with them.",
            *(table.label, marks, made.version),
        )
        return made.snapshot, ranges


def tags_of(before: Metadata, after: Metadata) -> dict[str, str | None] | None:
    """Return what shows other writers that a commit's metadata only moves marks."""
    return {IDENTITY_ONLY_TAG: "true"} if differs_in_high_water_marks_only(before, after) else None


def _is_as_expected(metadata: Metadata, expected: Metadata) -> bool:
    return metadata == expected or differs_in_high_water_marks_only(expected, metadata)


def _operation(marks: Mapping[str, int]) -> Operation:
    return Operation("RESERVE IDENTITY", {"upTo": dict(marks)}, tags={IDENTITY_ONLY_TAG: "true"})


def _starting(known: StructField, column: IdentityColumn | None) -> StructField:
    if column is None:
        return known
    metadata = {key: value for key, value in known.metadata.items() if key != MARK_KEY}
    if column.mark is not None:
        metadata[MARK_KEY] = column.mark
    return StructField(known.name, known.dataType, known.nullable, metadata)


def _bounds(column: IdentityColumn, target: WriteTarget, written: WrittenFiles) -> Bounds:
    """Return the minimum and the maximum number in files, read where statistics do not say."""
    bounds = written.bounds.get(column.name)
    # Footers may lack bounds; then the files that were just written are read.
    if bounds is not None:
        return bounds
    layout = layout_of(target.metadata)
    paths = [f"{target.table.root}/{decode_path(file.path)}" for file in written.files]
    name = layout.numbered[column.name].path[0]
    return bounds_in_files(target.context.session, paths, name, target.table.options)
