"""Statistics of columns from the footer of a Parquet file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puredelta.schema.column_path import lowered
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    DataType,
    DecimalType,
)
from puredelta.table.statistics.column_stats import UNKNOWN, ColumnBounds
from puredelta.table.statistics.footer_bounds import BoundReader, reader_of
from puredelta.table.statistics.footer_trust import Writer, writer_of
from puredelta.table.statistics.indexed_columns import Leaf, Path
from puredelta.table.statistics.parquet_schema import SchemaNode, root_of

_COUNTED = frozenset(
    {
        BINARY, BOOLEAN, BYTE, DATE, DOUBLE, FLOAT, INTEGER, LONG, SHORT, STRING, TIMESTAMP,
        TIMESTAMP_NTZ, VARIANT,
    }
)  # fmt: skip
# In a variant's group the part `metadata` is always there, so it is null where the variant is.
_VARIANT_WITNESS = "metadata"
# The old type of points in time; Parquet defines no order for it, so footers have no bounds.
_INT96 = "INT96"
# The logical type of a column whose values are all null.
_NULLS = "UNKNOWN"
_MAX_FORMS = 64


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the columns of a file are, by their path in lower case."""

    by_path: dict[Path, int]
    ambiguous: frozenset[Path]

    def is_absent(self, path: Path) -> bool:
        """State that the file has neither the column nor anything below it."""
        known = (*self.by_path, *self.ambiguous)
        return not any(other[: len(path)] == path for other in known)


@dataclass(frozen=True, slots=True)
class _Way:
    """How the statistics of a column are read from files of one form.

    Attributes:
        path: The column.
        place: Which column of the file it is; None where it is none.
        reader: How its bounds are read; None where they cannot be.
        is_absent: Files have nothing of it, so that it is null in each row.
        has_bounds: Rows would show its bounds, whether or not footers have them.
    """

    path: Path
    place: int | None = None
    reader: BoundReader | None = None
    is_absent: bool = False
    has_bounds: bool = False


@dataclass(frozen=True, slots=True)
class MissingBounds:
    """A column whose bounds a footer lacks.

    Attributes:
        leaf: The column.
        place: Which column of the file it is.
        path_in_file: Its path there.
    """

    leaf: Leaf
    place: int
    path_in_file: Path


class FooterStats:
    """Returns statistics from footers; the position of each column is found once for each form.

    Args:
        leaves: The columns wanted.
    """

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self._leaves = [(leaf, _wanted(leaf)) for leaf in leaves]
        self._clashes = {
            path for path, seen in Counter(path for _, path in self._leaves).items() if seen > 1
        }
        self._ways: dict[tuple[str, Writer], list[_Way]] = {}
        self._last: tuple[Any, list[_Way]] = (None, [])

    def of(self, footer: Any) -> dict[Path, ColumnBounds]:
        """Return the statistics in a footer.

        Args:
            footer: A `pyarrow.parquet.FileMetaData`.
        """
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        absent = ColumnBounds(nulls=footer.num_rows)
        return {
            way.path: _folded(groups, way.place, way.reader)
            if way.place is not None
            else (absent if way.is_absent else UNKNOWN)
            for way in self._ways_of(footer)
        }

    def silent(self, footer: Any, facts: Mapping[Path, ColumnBounds]) -> list[MissingBounds]:
        """List the columns whose bounds a footer lacks, though rows would show them.

        Args:
            footer: A `pyarrow.parquet.FileMetaData`.
            facts: Its statistics.
        """
        found = [
            (leaf, way.place)
            for (leaf, _), way in zip(self._leaves, self._ways_of(footer), strict=True)
            if way.place is not None
            and way.has_bounds
            and _is_silent(facts[way.path], footer.num_rows)
        ]
        paths = _column_paths(footer) if found else []
        return [MissingBounds(leaf, place, paths[place]) for leaf, place in found]

    def _ways_of(self, footer: Any) -> list[_Way]:
        last, found = self._last
        if last is footer:
            return found
        writer = writer_of(footer)
        # The text serves as key, since schemas that differ in groups only compare as equal. Its
        # first line names the object.
        form = str(footer.schema).partition("\n")[2], writer
        ways = self._ways.get(form)
        if ways is None:
            if len(self._ways) >= _MAX_FORMS:
                self._ways.clear()
            ways = self._ways[form] = self._ways_in(footer, writer)
        self._last = footer, ways
        return ways

    def _ways_in(self, footer: Any, writer: Writer) -> list[_Way]:
        columns = [footer.schema.column(number) for number in range(footer.num_columns)]
        places = _places(columns, _column_paths(footer))
        return [self._way(leaf, path, columns, places, writer) for leaf, path in self._leaves]

    def _way(
        self,
        leaf: Leaf,
        path: Path,
        columns: Sequence[Any],
        places: _Places,
        writer: Writer,
    ) -> _Way:
        # Two columns that differ in case alone have the same path here, so neither is known.
        if path in self._clashes or not _is_counted(leaf.data_type):
            return _Way(leaf.path)
        place = places.by_path.get(path)
        if place is None:
            return _Way(leaf.path, is_absent=places.is_absent(path))
        if columns[place].logical_type.type == _NULLS:
            return _Way(leaf.path, is_absent=True)
        reader = reader_of(leaf.data_type, columns[place], writer)
        is_old = leaf.data_type == TIMESTAMP and columns[place].physical_type == _INT96
        # Rows that are read here are not moved between calendars. INT96 of other writers is not
        # used either: a setting lets Spark shift it by the zone of the session.
        moved = writer.is_hybrid and leaf.data_type in (DATE, TIMESTAMP)
        known = reader is not None and not moved
        return _Way(leaf.path, place, reader, has_bounds=(is_old and writer.is_java) or known)


def read_footer_stats(footer: Any, leaves: Iterable[Leaf]) -> dict[Path, ColumnBounds]:
    """Return what one footer knows of the columns of a table; see `FooterStats`."""
    return FooterStats(leaves).of(footer)


def _is_silent(known: ColumnBounds, num_rows: int) -> bool:
    return known.minimum is None and known.maximum is None and known.nulls != num_rows


def _is_counted(data_type: DataType) -> bool:
    return isinstance(data_type, DecimalType) or data_type in _COUNTED


def _wanted(leaf: Leaf) -> Path:
    return lowered((*leaf.path, _VARIANT_WITNESS) if leaf.data_type == VARIANT else leaf.path)


def _places(columns: Sequence[Any], found: Iterable[Path]) -> _Places:
    paths = [lowered(path) for path in found]
    seen = Counter(paths)
    ambiguous = {path for path, times in seen.items() if times > 1}
    # Inside a list or map the null count is one of values, not of rows.
    ambiguous |= {
        path for path, column in zip(paths, columns, strict=True) if column.max_repetition_level > 0
    }
    by_path = {path: place for place, path in enumerate(paths) if path not in ambiguous}
    return _Places(by_path, frozenset(ambiguous))


def _folded(groups: Sequence[Any], place: int, reader: BoundReader | None) -> ColumnBounds:
    """Combine the row groups of a column; what one of them lacks is unknown for the file."""
    nulls: int | None = 0
    minimum: list[Any] = []
    maximum: list[Any] = []
    for group in groups:
        # An empty group has no bounds, and must not hide those of the others.
        if group.num_rows == 0:
            continue
        known = group.column(place).statistics
        if known is None:
            return UNKNOWN
        counted = known.has_null_count
        nulls = nulls + known.null_count if counted and nulls is not None else None
        if reader is None:
            continue
        if known.has_min_max:
            minimum.append(reader.minimum(known.min_raw))
            maximum.append(reader.maximum(known.max_raw))
        # A group of nulls has no bounds and needs none; any other group may have values outside.
        elif not (counted and known.null_count == group.num_rows):
            reader = None
    if reader is None:
        return ColumnBounds(nulls=nulls)
    return ColumnBounds(nulls, when_all_known(min, minimum), when_all_known(max, maximum))


def when_all_known(choose: Callable[[list[Any]], Any], values: list[Any]) -> Any:
    """Choose the outermost of some bounds; None when there are none, or one is not known."""
    if len(values) == 1:
        return values[0]
    return choose(values) if values and None not in values else None


# ----------------------------------------------------------------- column paths in a Parquet schema


def _column_paths(footer: Any) -> list[Path]:
    """List the paths of the columns of a file, in order.

    Args:
        footer: A `pyarrow.parquet.FileMetaData`.
    """
    known = [_path(footer.schema.column(number)) for number in range(footer.num_columns)]
    paths = [path for path in known if path is not None]
    return paths if len(paths) == len(known) else list(_leaves(root_of(footer)))


def _path(column: Any) -> Path | None:
    """Return a path that is known without the groups of the file, as nearly all are."""
    if column.name == column.path:
        return (column.path,)
    # Each optional part counts one level. With as many levels as dots allow, no name has a dot.
    if column.max_definition_level == column.path.count(".") + 1:
        return tuple(column.path.split("."))
    return None


def _leaves(group: SchemaNode, above: Path = ()) -> Iterator[Path]:
    for node in group.children:
        path = (*above, node.name)
        if node.is_group:
            yield from _leaves(node, path)
        else:
            yield path
