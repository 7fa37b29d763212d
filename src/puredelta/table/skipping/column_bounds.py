"""The bounds of a column in each file, and whether it is null there.

Protocol: Per-file Statistics. Bounds are valid for all rows of a file, deleted ones included, and
so for the remaining ones; so is a null count of zero, or of all rows.
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
    """The bounds of a value and whether it can be null, a row a file.

    Attributes:
        data_type: Its type.
        minimum: Nothing is below this; null for a file without one, None for no bound in any file.
            Comparable as in `skipping.ordering`.
        maximum: Nothing is above this.
        may_be_null: Whether the value can be null for some row.
        may_be_value: Whether the value can be other than null for some row.
    """

    data_type: DataType
    minimum: pa.Array | pa.Scalar | None
    maximum: pa.Array | pa.Scalar | None
    may_be_null: Mask
    may_be_value: Mask


@dataclass(slots=True)
class StatsView:
    """The statistics and partition values of some files, by the names of columns.

    Attributes:
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.
        stats: The statistics of all columns that the condition names, by physical path.
        for_sure: Whether upper bounds of floats are left out: deltalake ignores NaN in them, which
            Spark orders above all numbers.
    """

    files: pa.Table
    columns: StatsColumns
    stats: dict[Path, ColumnStats]
    for_sure: bool = False

    def interval(self, operand: Operand) -> Interval | None:
        """Return the bounds of a value; None for a column that has no statistics."""
        match operand:
            case Column(path):
                column = self.columns.find(path)
                if column is None:
                    return None
                return self._partition(column) if column.is_partition else self._data(column)
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

    def _data(self, column: StatsColumn) -> Interval:
        if column.witnesses:
            return self._struct(column)
        stats = self.stats[column.path]
        may_be_null, may_be_value = self._nulls(stats)
        maximum = stats.maximum
        # A NaN above the bound costs a query at most the rows that Spark's own Parquet filters lose
        # as well; a proof that no row fails a condition must not rest on it.
        if self.for_sure and column.data_type in FLOATS and maximum is not None:
            maximum = pa.nulls(len(maximum), maximum.type)
        return Interval(column.data_type, stats.minimum, maximum, may_be_null, may_be_value)

    def _struct(self, column: StatsColumn) -> Interval:
        """Return whether a struct can be null, by its parts, which are null where it is."""
        may_be_null = self.mask(value=True)
        for path in column.witnesses:
            may_be_null &= self._nulls(self.stats[path])[0]
        # The parts can all be null in a struct that is not, so only a file without rows has none.
        rows = _true_or_null(pc.not_equal(num_records_of(self.files), 0))
        return Interval(column.data_type, None, None, may_be_null & rows, rows)

    def _nulls(self, stats: ColumnStats) -> tuple[Mask, Mask]:
        # Counts between zero and all are not used: with wide bounds they include deleted rows.
        may_be_null = _true_or_null(pc.not_equal(stats.nulls, 0))
        may_be_value = _true_or_null(pc.not_equal(stats.nulls, num_records_of(self.files)))
        return may_be_null, may_be_value

    def _partition(self, column: StatsColumn) -> Interval:
        values = partition_values_of(self.files, column)
        present = ~values.is_null
        return Interval(column.data_type, values.minimum, values.maximum, values.is_null, present)


def required_stats(columns: StatsColumns, named: list[Column]) -> dict[Path, StatsColumn]:
    """Return the columns whose statistics some columns need, by physical path."""
    required: dict[Path, StatsColumn] = {}
    for reference in named:
        column = columns.find(reference.path)
        if column is None or column.is_partition:
            continue
        if column.witnesses:
            for path in column.witnesses:
                # VOID has no bounds: only the null count of a witness is parsed, unless the same
                # field is in the condition itself and needs its bounds, too.
                required.setdefault(path, StatsColumn(path, VOID))
        else:
            required[column.path] = column
    return required


def _cast(found: Interval, data_type: DataType, *, in_utc: bool) -> Interval | None:
    bounds = converted(found.minimum, found.maximum, found.data_type, data_type, in_utc=in_utc)
    if bounds is None:
        return None
    return Interval(data_type, *bounds, found.may_be_null, found.may_be_value)


def _year(found: Interval) -> Interval | None:
    if found.data_type != DATE:
        return None
    bounds = (years(found.minimum), years(found.maximum))
    return Interval(INTEGER, *bounds, found.may_be_null, found.may_be_value)


def _true_or_null(answers: pa.Array) -> Mask:
    # A missing count excludes nothing.
    return np.asarray(pc.fill_null(answers, fill_value=True))
