"""The numbers that a write gives to its rows: where they begin, and the mark that they leave."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pyspark.sql.types import StructField, StructType

from puredelta.commands.rows.column_matching import Match
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

Lasts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class IdentityRange:
    """Numbers that one write alone gives out: those after a mark, up to the last."""

    mark: int | None
    last: int


class IdentityRangeLostError(Exception):
    """A write that has to be made again with numbers of its own.

    Attributes:
        wanted: how many numbers each column needs.
        lost: why its commit was not made, if it came to that.
    """

    def __init__(self, wanted: Mapping[str, int], lost: MetadataChangedError | None = None) -> None:
        super().__init__(dict(wanted))
        self.wanted = wanted
        self.lost = lost


@dataclass(frozen=True, slots=True)
class IdentityAllocation:
    """What a write gives out.

    Attributes:
        columns: those that it fills, with the marks after which its numbers begin.
        ranges: the numbers that it has to itself; empty where its own commit moves the marks.
    """

    columns: tuple[IdentityColumn, ...] = ()
    ranges: Mapping[str, IdentityRange] = field(default_factory=dict)

    @classmethod
    def of(cls, matched: Match, ranges: Mapping[str, IdentityRange]) -> "IdentityAllocation":
        """Return what a write fills: the columns that its data does not have."""
        pairs = zip(matched.schema, matched.sources, strict=True)
        found = (identity_of(pair.name, pair.metadata) for pair, place in pairs if place is None)
        columns = tuple(one for one in found if one is not None)
        if any(column.name not in ranges for column in columns):
            return cls(columns)
        return cls(
            tuple(replace(column, mark=ranges[column.name].mark) for column in columns), ranges
        )

    def begun(self, matched: Match) -> Match:
        """Let the columns begin where the numbers of this write do."""
        if not self.ranges:
            return matched
        ours = {column.name: column for column in self.columns}
        fields = [_beginning(field, ours.get(field.name)) for field in matched.schema]
        return replace(matched, schema=StructType(fields))

    def lasts(self, target: WriteTarget, written: WrittenFiles) -> Lasts:
        """Return the last number that each column gave; columns without rows are left out."""
        if not written.files:
            return {}
        return {
            column.name: column.farthest(_bounds(column, target, written))
            for column in self.columns
        }

    def marked(self, metadata: Metadata, lasts: Lasts) -> Metadata:
        """Return metadata with the marks that the write leaves.

        Raises:
            NumbersTakenError: its own numbers did not suffice.
        """
        given = [column for column in self.columns if column.name in lasts]
        if not self.ranges:
            return with_high_water_marks(
                metadata, {one.name: one.marked(lasts[one.name]).mark for one in given}
            )
        if any(one.is_past(lasts[one.name], self.ranges[one.name].last) for one in given):
            raise IdentityRangeLostError(
                {name: 2 * count for name, count in self.counts(lasts).items()}
            )
        return metadata

    @contextmanager
    def giving(
        self, target: WriteTarget, lasts: Lasts, files: Iterable[WrittenFiles], *, again: bool
    ) -> Iterator[None]:
        """Commit in this context: files that could not be committed are removed.

        Args:
            target: the table.
            lasts: the last number that each column gave.
            files: what was written.
            again: may the write be made again?

        Raises:
            NumbersTakenError: the write is to be made again.
        """
        try:
            yield
        except IdentityRangeLostError:
            discard(target, files)
            raise
        except MetadataChangedError as lost:
            if not (again and lasts):
                raise
            discard(target, files)
            raise IdentityRangeLostError(self.counts(lasts), lost) from lost

    def counts(self, lasts: Lasts) -> dict[str, int]:
        """Return how many numbers each column went through."""
        return {
            column.name: column.steps_between(column.base, lasts[column.name])
            for column in self.columns
            if column.name in lasts
        }


def reserve(
    context: Context, table: TableRef, expected: Metadata, taken: IdentityRangeLostError
) -> tuple[Snapshot, dict[str, IdentityRange]]:
    """Move the marks of a table past numbers that one write will then give out alone.

    Args:
        context: says who commits, and how.
        table: the table.
        expected: its metadata as the write found it.
        taken: what the write needs.

    Returns:
        The version made, and the numbers.

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
        except MetadataChangedError:
            continue
        _logger.info(
            "Another write gave out identity values of %s first: those up to %s are reserved in "
            "version %d, and the rows are written again with them.",
            *(table.label, marks, made.version),
        )
        return made.snapshot, ranges


def discard(target: WriteTarget, files: Iterable[WrittenFiles]) -> None:
    """Remove the files of a write that is not going to be committed."""
    names = [decode_path(file.path) for one in files for file in one.files]
    if names:
        target.before.store.delete(names)


def tags_of(before: Metadata, after: Metadata) -> dict[str, str | None] | None:
    """Return what shows other writers that a commit's metadata only moves marks."""
    return {IDENTITY_ONLY_TAG: "true"} if differs_in_high_water_marks_only(before, after) else None


def _is_as_expected(metadata: Metadata, expected: Metadata) -> bool:
    return metadata == expected or differs_in_high_water_marks_only(expected, metadata)


def _operation(marks: Mapping[str, int]) -> Operation:
    return Operation("RESERVE IDENTITY", {"upTo": dict(marks)}, tags={IDENTITY_ONLY_TAG: "true"})


def _beginning(known: StructField, column: IdentityColumn | None) -> StructField:
    if column is None:
        return known
    metadata = {key: value for key, value in known.metadata.items() if key != MARK_KEY}
    if column.mark is not None:
        metadata[MARK_KEY] = column.mark
    return StructField(known.name, known.dataType, known.nullable, metadata)


def _bounds(column: IdentityColumn, target: WriteTarget, written: WrittenFiles) -> Bounds:
    """Return the least and the greatest number in files, read where statistics do not say."""
    bounds = written.bounds.get(column.name)
    if bounds is not None:
        return bounds
    layout = layout_of(target.metadata)
    paths = [f"{target.table.root}/{decode_path(file.path)}" for file in written.files]
    name = layout.numbered[column.name].path[0]
    return bounds_in_files(target.context.session, paths, name, target.table.options)
