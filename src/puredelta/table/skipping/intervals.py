"""Between which values a column lies in each file, and whether it is null there.

Protocol: Per-file Statistics. Bounds hold for all rows of a file, deleted ones included, so they
hold for those that are left; a null count of zero, or of all rows, holds likewise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.schema.datatypes import (
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
)
from puredelta.table.partitions import map_value, plain_from_text, typed_column
from puredelta.table.skipping.columns import Columns, Place
from puredelta.table.skipping.condition import Column, Converted, Literal, Operand, Path
from puredelta.table.skipping.conversions import converted
from puredelta.table.skipping.ordered import ordered_array, ordered_scalar
from puredelta.table.skipping.parsed import Told, num_records_of, partition_values_of

Mask: TypeAlias = npt.NDArray[np.bool_]

_MILLISECOND = 1_000
_LAST_MICRO = 2**63 - 1
_CONTROLS = r"[\x00-\x1f]"


@dataclass(frozen=True, slots=True)
class Interval:
    """What is known of a value, a row a file.

    Attributes:
        data_type: Its type.
        least: Nothing is below this; null where there is no such bound, None where nowhere is.
            Comparable as in `skipping.ordered`.
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
class Known:
    """What the log tells of the columns of some files.

    Attributes:
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.
        told: What statistics say, by physical path, for all columns that are asked for.
    """

    files: pa.Table
    columns: Columns
    told: dict[Path, Told]

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
            case Converted(inner, data_type, in_utc):
                found = self.interval(inner)
                return None if found is None else _cast(found, data_type, in_utc=in_utc)

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

    def _data(self, place: Place) -> Interval:
        if place.witnesses:
            return self._struct(place)
        told = self.told[place.path]
        may_be_null, may_be_value = self._nulls(told)
        least, greatest = _bounds(told, place)
        return Interval(place.data_type, least, greatest, may_be_null, may_be_value)

    def _struct(self, place: Place) -> Interval:
        """Judge a struct by its parts, which are null where it is."""
        may_be_null = self.mask(value=True)
        for path in place.witnesses:
            may_be_null &= self._nulls(self.told[path])[0]
        rows = _true_or_null(pc.not_equal(num_records_of(self.files), 0))
        return Interval(place.data_type, None, None, may_be_null & rows, rows)

    def _nulls(self, told: Told) -> tuple[Mask, Mask]:
        may_be_null = _true_or_null(pc.not_equal(told.nulls, 0))
        may_be_value = _true_or_null(pc.not_equal(told.nulls, num_records_of(self.files)))
        return may_be_null, may_be_value

    def _partition(self, place: Place) -> Interval:
        parts = partition_values_of(
            self.files, place.path[0], place, lambda maps: _partition_bounds(maps, place)
        )
        least = pa.concat_arrays([part[0] for part in parts]) if parts else None
        greatest = pa.concat_arrays([part[1] for part in parts]) if parts else None
        none = np.zeros(0, np.bool_)
        is_null = np.concatenate([part[2] for part in parts]) if parts else none
        return Interval(place.data_type, least, greatest, is_null, ~is_null)


def wanted_columns(columns: Columns, found: list[Column]) -> dict[Path, pa.DataType]:
    """Name the statistics that some columns need: physical path to type of the bounds."""
    wanted: dict[Path, pa.DataType] = {}
    for column in found:
        place = columns.place(column.path)
        if place is None or place.is_partition:
            continue
        if place.witnesses:
            for path in place.witnesses:
                wanted.setdefault(path, pa.null())
        else:
            wanted[place.path] = place.kind
    return wanted


def _cast(found: Interval, data_type: DataType, *, in_utc: bool) -> Interval | None:
    bounds = converted(found.least, found.greatest, found.data_type, data_type, in_utc=in_utc)
    if bounds is None:
        return None
    return Interval(data_type, *bounds, found.may_be_null, found.may_be_value)


def _bounds(told: Told, place: Place) -> tuple[pa.Array | None, pa.Array | None]:
    if told.least is None or told.greatest is None:
        return None, None
    least, greatest = told.least, told.greatest
    if place.was_float:
        least, greatest = _floats_widened(least, greatest)
    least = ordered_array(least, place.data_type)
    greatest = ordered_array(greatest, place.data_type)
    if place.data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        # Statistics are cut to milliseconds.
        room = pc.min_element_wise(greatest, _LAST_MICRO - _MILLISECOND, skip_nulls=False)
        greatest = pc.add(room, _MILLISECOND)
    if place.padded_to:
        greatest = _padded(greatest, place.padded_to)
    return least, greatest


def _floats_widened(least: pa.Array, greatest: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Make room for what a text lost that was written for a float: 0.1 is less than (float) 0.1."""
    return (
        pc.min_element_wise(least, least.cast(pa.float32()).cast(pa.float64()), skip_nulls=False),
        pc.max_element_wise(
            greatest, greatest.cast(pa.float32()).cast(pa.float64()), skip_nulls=False
        ),
    )


def _padded(greatest: pa.Array, width: int) -> pa.Array:
    """Make room for the blanks that readers of a char(n) put behind shorter texts.

    What a text is shortened by, and filled up to, must not be above it: characters below the blank
    would be.
    """
    unsafe = pc.match_substring_regex(greatest, _CONTROLS)
    filled = pc.binary_join_element_wise(greatest, " " * width, "")
    return pc.if_else(unsafe, pa.scalar(None, pa.string()), filled)


def _partition_bounds(maps: pa.Array, place: Place) -> tuple[pa.Array, pa.Array, Mask]:
    texts = map_value(maps, place.path[0])
    # An empty text is null too.
    is_null = np.asarray(pc.equal(pc.fill_null(texts, ""), ""))
    if place.data_type == TIMESTAMP:
        texts = _with_zone(texts)
    values = ordered_array(typed_column(texts, place.data_type), place.data_type)
    if place.data_type == STRING and place.padded_to:
        return values, _padded(values, place.padded_to), is_null
    return values, values, is_null


def _with_zone(texts: pa.Array) -> pa.Array:
    """Leave out points in time that do not say in which zone they were written."""
    told = texts.dictionary_encode()
    sure = [text if _is_same_everywhere(text) else None for text in told.dictionary.to_pylist()]
    return pa.array(sure, pa.string()).take(told.indices)


def _is_same_everywhere(text: str) -> bool:
    here, there = (plain_from_text(text, TIMESTAMP, zone) for zone in ("UTC", "+01:00"))
    return bool(here == there)


def _true_or_null(answers: pa.Array) -> Mask:
    return np.asarray(pc.fill_null(answers, fill_value=True))
