"""The rows of a data file, column by column and piece by piece: nulls and bounds of those left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap64

from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import DataType, DecimalType, PrimitiveType
from puredelta.table.statistics.arrow_bounds import bounds_from_arrow
from puredelta.table.statistics.column_stats import ColumnBounds
from puredelta.table.statistics.indexed_columns import Leaf, Path

# Rows decoded at a time: what bounds the memory that a file takes.
_BATCH_ROWS = 65_536

_Place: TypeAlias = tuple[int, ...]


@dataclass
class ColumnValues:
    """What the rows of a file have shown so far.

    Attributes:
        rows: How many were seen.
        facts: What is known of each column.
        with_nan: The columns that hold NaN, which is above all bounds.
        misfits: Columns whose type in the file does not go with that of the table: path to text.
    """

    rows: int = 0
    facts: dict[Path, ColumnBounds] = field(default_factory=dict)
    with_nan: set[Path] = field(default_factory=set)
    misfits: dict[Path, str] = field(default_factory=dict)


def read_rows(
    parquet: pq.ParquetFile, leaves: Sequence[Leaf], deleted: BitMap64 | None, *, by_name: bool
) -> ColumnValues:
    """Read all rows of a file, and describe those that are not deleted.

    Args:
        parquet: The file.
        leaves: The columns wanted, by their paths in the file.
        deleted: Numbers of deleted rows.
        by_name: Is a column that the file does not have null throughout? Otherwise nothing is
            known of it.

    Raises:
        ArrowException: The rows cannot be decoded.
        OSError: Likewise.
    """
    seen = ColumnValues()
    places: list[_Place | None] | None = None
    for batch in _live_batches(parquet, deleted):
        seen.rows += batch.num_rows
        if places is None:
            places = _places(batch.schema, leaves)
        structs: dict[_Place, list[Any]] = {}
        for leaf, place in zip(leaves, places, strict=True):
            if place is not None:
                _see(seen, leaf, _column(batch, place, structs))
            elif by_name:
                _fold(seen, leaf, ColumnBounds(nulls=batch.num_rows))
    return seen


def _live_batches(parquet: pq.ParquetFile, deleted: BitMap64 | None) -> Iterator[pa.RecordBatch]:
    start = 0
    for batch in parquet.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
        gone = _within(deleted, start, batch.num_rows) if deleted else []
        start += batch.num_rows
        yield batch.filter(_mask(batch.num_rows, gone)) if gone else batch


def _within(rows: BitMap64, start: int, count: int) -> list[int]:
    """List the numbers in a range, counted from its start."""
    wanted = BitMap64()
    wanted.add_range(start, start + count)
    return [number - start for number in rows & wanted]


def _mask(count: int, gone: Iterable[int]) -> pa.Array:
    kept = bytearray(b"\x01" * count)
    for row in gone:
        kept[row] = 0
    return pa.Array.from_buffers(pa.uint8(), count, [None, pa.py_buffer(kept)]).cast(pa.bool_())


def _see(seen: ColumnValues, leaf: Leaf, column: Any) -> None:
    try:
        fitting = _as_typed(column, leaf.data_type)
    except pa.ArrowException as reason:
        seen.misfits.setdefault(leaf.path, f"{column.type}: {reason}")
        return
    # The column is taken out of its structs, whose nulls `_column` has already applied.
    alone = Leaf(("c",), leaf.data_type)
    facts = bounds_from_arrow(pa.table({"c": fitting}), [alone])[alone.path]
    present = (facts.nulls or 0) < len(column)
    if present and facts.maximum is None and pa.types.is_floating(fitting.type):
        seen.with_nan.add(leaf.path)
    _fold(seen, leaf, facts)


def _fold(seen: ColumnValues, leaf: Leaf, facts: ColumnBounds) -> None:
    before = seen.facts.get(leaf.path, ColumnBounds(nulls=0))
    seen.facts[leaf.path] = ColumnBounds(
        (before.nulls or 0) + (facts.nulls or 0),
        _known_of(min, before.minimum, facts.minimum),
        _known_of(max, before.maximum, facts.maximum),
    )


def _known_of(choose: Any, before: Any, batch: Any) -> Any:
    # A batch of nulls has no bounds, and leaves those of the others as they are.
    if before is None or batch is None:
        return before if batch is None else batch
    return choose(before, batch)


def _as_typed(column: Any, data_type: DataType) -> Any:
    """Give a column the type of the table, where the file has an older or a wider one."""
    if not isinstance(data_type, PrimitiveType | DecimalType):
        return column
    wanted = type_to_arrow(data_type)
    if column.type == wanted or pa.types.is_struct(wanted) or pa.types.is_null(wanted):
        return column
    # Files may have timestamps of a finer unit, whose cast to microseconds loses digits.
    return column.cast(wanted, safe=not pa.types.is_timestamp(column.type))


def _places(schema: pa.Schema, leaves: Sequence[Leaf]) -> list[_Place | None]:
    """Find each column; None for one that the file does not have.

    Names are looked up in maps, one for each struct, for there may be thousands of columns.
    """
    known: dict[_Place, _Struct] = {(): _Struct(schema)}
    return [_place(known, leaf.path) for leaf in leaves]


def _place(known: dict[_Place, _Struct], path: Path) -> _Place | None:
    place: _Place = ()
    for part in path:
        struct = known.get(place)
        if struct is None:
            # The first column of a struct that is entered, or the part of something else.
            data_type = known[place[:-1]].types[place[-1]]
            if not pa.types.is_struct(data_type):
                return None
            struct = known[place] = _Struct(data_type)
        number = struct.number(part)
        if number is None:
            return None
        place = (*place, number)
    return place


class _Struct:
    """The parts of a struct in the file, by their names."""

    def __init__(self, fields: Iterable[pa.Field]) -> None:
        listed = list(fields)
        self.types = [info.type for info in listed]
        self._names = _first_places(info.name for info in listed)
        self._lowered = _first_places(info.name.lower() for info in listed)

    def number(self, name: str) -> int | None:
        """Find a name as it is, or else in any case of letters."""
        found = self._names.get(name)
        return self._lowered.get(name.lower()) if found is None else found


def _first_places(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, name in enumerate(names):
        found.setdefault(name, number)
    return found


def _column(batch: pa.RecordBatch, place: _Place, structs: dict[_Place, list[Any]]) -> Any:
    """Get a column; the parts of a null struct are null.

    Args:
        batch: Some rows.
        place: The numbers of the column and, within structs, of its parts.
        structs: The parts of structs that were got before; more are added.
    """
    if len(place) == 1:
        return batch.column(place[0])
    above = place[:-1]
    if above not in structs:
        # All at once: each call for a single part goes through the types of all.
        structs[above] = _column(batch, above, structs).flatten()
    return structs[above][place[-1]]
