"""Columns whose bounds footers do not say are read for them, and nothing else of their files.

Spark writes points in time as INT96 by default, which has no bounds in footers; old
writers, and some new ones if asked, leave statistics out. Queries would read each of these files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta._util.parallel import run_in_parallel
from puredelta.conversion.footers import StoreFooters, parsed_footer, unreadable
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaError
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import STRING, TIMESTAMP, DataType
from puredelta.table.statistics.arrow_bounds import bounds_column, bounds_from_arrow
from puredelta.table.statistics.column_stats import UNKNOWN, ColumnBounds
from puredelta.table.statistics.file_stats import FooterStatistics
from puredelta.table.statistics.footer_parsing import has_odd_groups
from puredelta.table.statistics.footer_stats import MissingBounds, when_all_known
from puredelta.table.statistics.footer_trust import MICROS_1900
from puredelta.table.statistics.indexed_columns import Leaf, Path

_ONE = "column"
_ROWS = 1 << 17
_MAX_TEXT = 1 << 20
_MAX_READ = 1 << 26
# What Arrow says of encodings and codecs that it does not know, besides what its classes say.
_LACKS = ("Not yet implemented", "not supported by the C++ implementation")
_THREADS = 8
_FILES_A_TASK = 8


@dataclass(frozen=True, slots=True)
class BoundsReader:
    """Makes statistics of files whose footers do not say all.

    Attributes:
        url: The folder, for messages.
        files: Opens the files.
        statistics: Of the columns that the table has.
    """

    url: str
    files: StoreFooters
    statistics: FooterStatistics

    def completed(
        self, files: Iterable[tuple[SourceFile, str | None]]
    ) -> Iterator[tuple[SourceFile, str | DeltaError]]:
        """Yield files with their statistics, which are made where they are missing.

        A file that cannot be read comes with what is wrong with it.
        """
        return run_in_parallel(self._complete, files, threads=_THREADS, at_once=_FILES_A_TASK)

    def _complete(
        self, bounds: tuple[SourceFile, str | None]
    ) -> tuple[SourceFile, str | DeltaError]:
        file, stats = bounds
        if stats is not None:
            return file, stats
        try:
            return file, self._read(file)
        except (pa.ArrowException, OSError) as error:
            # The file is sound and only Arrow does not read it, so it is not refused.
            if has_odd_groups(error):
                return file, self._by_footer(file)
            return file, unreadable(self.url, file, " ".join(str(error).split()))

    def _by_footer(self, file: SourceFile) -> str:
        """Make statistics of a file that Arrow does not read."""
        [(_, tail)] = self.files.tails([file])
        return self.statistics.of(parsed_footer(self.url, file, tail))

    def _read(self, file: SourceFile) -> str:
        with self._opened(file) as parquet:
            footer = parquet.metadata
            bounds, silent = self.statistics.with_silent(footer)
            silent = [column for column in silent if _is_small(footer, column)]
        if not silent:
            return bounds
        found = self._facts_by_entries(file, silent)
        if found is None:
            found = self._facts_by_rows(file, silent, _rows_at_once(footer, silent))
        return bounds if found is None else self.statistics.completed(footer, found)

    def _facts_by_entries(
        self, file: SourceFile, silent: list[MissingBounds]
    ) -> dict[Path, ColumnBounds] | None:
        """Read texts as entries of dictionaries; None where Arrow does not.

        Few texts stand for many rows: as long as they are entries of a dictionary, they are few.
        """
        texts = [_dotted(column) for column in silent if column.leaf.data_type == STRING]
        try:
            with self._opened(file, texts) as parquet:
                return _facts(parquet, silent, _ROWS)
        except (pa.ArrowException, OSError):
            # Not those of structs in several row groups, nor some encodings; what else is wrong
            # shows when they are read without.
            return None

    def _facts_by_rows(
        self, file: SourceFile, silent: list[MissingBounds], rows: int
    ) -> dict[Path, ColumnBounds] | None:
        """Read columns as they are; None where Arrow lacks what others have to read them."""
        try:
            with self._opened(file) as parquet:
                return _facts(parquet, silent, rows)
        except (pa.ArrowException, OSError) as error:
            if not _is_lack(error):
                raise
            return None

    def _opened(self, file: SourceFile, texts: Iterable[str] = ()) -> Any:
        return pq.ParquetFile(
            self.files.opened(file), coerce_int96_timestamp_unit="us", read_dictionary=list(texts)
        )


def _is_lack(error: Exception) -> bool:
    """Return whether an error names what Arrow cannot do, and not what is wrong with a file."""
    # Arrow raises OSError for some of what it lacks, so the class alone does not decide.
    lacks = any(part in str(error) for part in _LACKS)
    return lacks or isinstance(error, pa.ArrowNotImplementedError)


def _rows_at_once(footer: Any, silent: list[MissingBounds]) -> int:
    """Return how many rows are few enough even if each text is as long as all of its column are."""
    longest = max(
        (_size(footer, column) for column in silent if column.leaf.data_type == STRING), default=0
    )
    return max(1, min(_ROWS, _MAX_READ // max(1, longest)))


def _facts(
    parquet: Any, silent: list[MissingBounds], rows_at_once: int
) -> dict[Path, ColumnBounds]:
    """Read columns, some rows at a time."""
    found: list[list[tuple[ColumnBounds, int]]] = [[] for _ in silent]
    paths = [_dotted(column) for column in silent]
    for batch in parquet.iter_batches(rows_at_once, columns=paths):
        rows = pa.Table.from_batches([batch])
        for column, parts in zip(silent, found, strict=True):
            parts.append((_shown(rows, column), rows.num_rows))
    return {
        column.leaf.path: _certain(_joined(parts), column.leaf.data_type)
        for column, parts in zip(silent, found, strict=True)
    }


def _shown(rows: pa.Table, column: MissingBounds) -> ColumnBounds:
    """Return what some rows show of a column, in the type that the table has for it."""
    data_type = column.leaf.data_type
    found = bounds_column(rows, column.path_in_file)
    if found is None:
        return UNKNOWN
    try:
        values = _distinct(found) if pa.types.is_dictionary(found.type) else found
        # Files have their own Arrow types: views of texts, durations, extensions.
        typed = pa.table({_ONE: values.cast(type_to_arrow(data_type), safe=False)})
    except pa.ArrowException:
        return UNKNOWN
    shown = bounds_from_arrow(typed, [Leaf((_ONE,), data_type)])[_ONE,]
    return replace(shown, nulls=found.null_count)


def _distinct(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a dictionary's rows, each once, without null."""
    return pa.chunked_array(
        [chunk.dictionary.take(chunk.indices.drop_null().unique()) for chunk in column.chunks],
        column.type.value_type,
    )


def _is_small(footer: Any, column: MissingBounds) -> bool:
    """Is a column worth being read? Numbers and points in time are; long texts are not."""
    if column.leaf.data_type != STRING:
        return True
    chunks = _chunks(footer, column)
    # Where nulls are counted, bounds were left out because they are too long.
    counted = any(
        chunk.statistics is not None and chunk.statistics.has_null_count for chunk in chunks
    )
    return not counted and _size(footer, column) <= _MAX_TEXT


def _size(footer: Any, column: MissingBounds) -> int:
    return sum(chunk.total_uncompressed_size for chunk in _chunks(footer, column))


def _chunks(footer: Any, column: MissingBounds) -> list[Any]:
    return [
        footer.row_group(number).column(column.place) for number in range(footer.num_row_groups)
    ]


def _dotted(column: MissingBounds) -> str:
    """Name a column for Arrow, which takes in all columns whose names look alike with dots."""
    return ".".join(column.path_in_file)


def _joined(parts: list[tuple[ColumnBounds, int]]) -> ColumnBounds:
    """Put the facts of some rows each together; rows that are all null have no bounds to know."""
    if any(facts.nulls is None for facts, _ in parts):
        return UNKNOWN
    nulls = sum(facts.nulls or 0 for facts, _ in parts)
    valued = [facts for facts, rows in parts if facts.nulls != rows]
    return ColumnBounds(
        nulls,
        when_all_known(min, [facts.minimum for facts in valued]),
        when_all_known(max, [facts.maximum for facts in valued]),
    )


def _certain(facts: ColumnBounds, data_type: DataType) -> ColumnBounds:
    """Leave out bounds that readers may take for other points in time."""
    if data_type != TIMESTAMP or facts.minimum is None or facts.minimum >= MICROS_1900:
        return facts
    return ColumnBounds(facts.nulls)
