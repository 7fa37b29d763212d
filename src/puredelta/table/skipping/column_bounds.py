"""Between which values a column lies in each file, and whether it is null there.

Protocol: Per-file Statistics. Bounds hold for all rows of a file, deleted ones included, so they
hold for those that are left; a null count of zero, or of all rows, holds likewise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.schema.datatypes import DATE, INTEGER, VOID, DataType
from puredelta.table.skipping.bound_casts import converted, years
from puredelta.table.skipping.columns import StatsColumn, StatsColumns
from puredelta.table.skipping.ordering import FLOATS, ordered_scalar
from puredelta.table.skipping.predicate import (
    CastValue,
    Column,
    Literal,
    Operand,
    Path,
    YearValue,
)
from puredelta.table.skipping.stats_cache import (
    ColumnStats,
    Mask,
    num_records_of,
    partition_values_of,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """What is known of a value, a row a file.

    Attributes:
        data_type: Its type.
        least: Nothing is below this; null where there is no such bound, None where nowhere is.
            Comparable as in `skipping.ordering`.
        greatest: Nothing is above this.
        may_be_null: Is it null for some row, perhaps?
        may_be_value: Is it not null for some row, perhaps?
    """

    data_type: DataType
    least: pa.Array | pa.Scalar | None
    greatest: pa.Array | pa.Scalar | None
    may_be_null: Mask
    may_be_value: Mask


@dataclass(slots=True)
class StatsView:
    """What the log says of the columns of some files.

    Attributes:
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.
        told: What statistics say, by physical path, for all columns that are asked for.
        for_sure: Are bounds left out that some writers make for the numbers only? deltalake
            passes over NaN, which Spark takes for the greatest of them.
    """

    files: pa.Table
    columns: StatsColumns
    told: dict[Path, ColumnStats]
    for_sure: bool = False

    def interval(self, operand: Operand) -> Interval | None:
        """Return what is known of a value; None for what is no column with statistics."""
        match operand:
            case Column(path):
                place = self.columns.place(path)
                if place is None:
                    return None
                return self._partition(place) if place.is_partition else self._data(place)
            case Literal():
                return self._literal(operand)
            case CastValue(inner, data_type, in_utc):
                found = self.interval(inner)
                return None if found is None else _cast(found, data_type, in_utc=in_utc)
            case YearValue(inner):
                found = self.interval(inner)
                return None if found is None else _year(found)

    def mask(self, *, value: bool) -> Mask:
        """Return the same answer for all files."""
        return np.full(self.files.num_rows, value)

    def _literal(self, literal: Literal) -> Interval:
        if literal.value is None:
            some, none = self.mask(value=True), self.mask(value=False)
            return Interval(literal.data_type, None, None, some, none)
        scalar = ordered_scalar(literal.value, literal.data_type)
        some, none = self.mask(value=True), self.mask(value=False)
        return Interval(literal.data_type, scalar, scalar, none, some)

    def _data(self, place: StatsColumn) -> Interval:
        if place.witnesses:
            return self._struct(place)
        stats = self.told[place.path]
        may_be_null, may_be_value = self._nulls(stats)
        greatest = stats.greatest
        if self.for_sure and place.data_type in FLOATS and greatest is not None:
            greatest = pa.nulls(len(greatest), greatest.type)
        return Interval(place.data_type, stats.least, greatest, may_be_null, may_be_value)

    def _struct(self, place: StatsColumn) -> Interval:
        """Judge a struct by its parts, which are null where it is."""
        may_be_null = self.mask(value=True)
        for path in place.witnesses:
            may_be_null &= self._nulls(self.told[path])[0]
        rows = _true_or_null(pc.not_equal(num_records_of(self.files), 0))
        return Interval(place.data_type, None, None, may_be_null & rows, rows)

    def _nulls(self, stats: ColumnStats) -> tuple[Mask, Mask]:
        may_be_null = _true_or_null(pc.not_equal(stats.nulls, 0))
        may_be_value = _true_or_null(pc.not_equal(stats.nulls, num_records_of(self.files)))
        return may_be_null, may_be_value

    def _partition(self, place: StatsColumn) -> Interval:
        values = partition_values_of(self.files, place)
        present = ~values.is_null
        return Interval(place.data_type, values.least, values.greatest, values.is_null, present)


def wanted_places(columns: StatsColumns, found: list[Column]) -> dict[Path, StatsColumn]:
    """Say what statistics some columns need, by physical path."""
    wanted: dict[Path, StatsColumn] = {}
    for column in found:
        place = columns.place(column.path)
        if place is None or place.is_partition:
            continue
        if place.witnesses:
            for path in place.witnesses:
                wanted.setdefault(path, StatsColumn(path, VOID))
        else:
            wanted[place.path] = place
    return wanted


def _cast(found: Interval, data_type: DataType, *, in_utc: bool) -> Interval | None:
    bounds = converted(found.least, found.greatest, found.data_type, data_type, in_utc=in_utc)
    if bounds is None:
        return None
    return Interval(data_type, *bounds, found.may_be_null, found.may_be_value)


def _year(found: Interval) -> Interval | None:
    if found.data_type != DATE:
        return None
    bounds = (years(found.least), years(found.greatest))
    return Interval(INTEGER, *bounds, found.may_be_null, found.may_be_value)


def _true_or_null(answers: pa.Array) -> Mask:
    return np.asarray(pc.fill_null(answers, fill_value=True))
