"""Files of the driver's machine that Arrow writes anew, where some of their rows change.

A task of Spark takes a second and more to copy a file of half a million rows, Arrow a third of it.
Spark computes the rows that change, and checks them; Arrow copies the others as they are.
"""

import contextvars
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64
from pyspark.sql import DataFrame

from puredelta._util.parallel import run_in_parallel
from puredelta._util.progress import track
from puredelta.commands.rows.driver_files import (
    ROWS_AT_ONCE,
    UNREADABLE,
    are_on_driver,
    reader_of,
)
from puredelta.commands.rows.file_writing import has_change_feed, is_optimized
from puredelta.commands.rows.new_files import NewFile, plan_new_files
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.dml.affected_rows import FILE
from puredelta.engine.dml.row_locations import file_positions
from puredelta.engine.scan.row_id_columns import row_id_columns
from puredelta.engine.session.snapshot_pinning import plan_in_this_thread
from puredelta.engine.write.file_writer import has_file_settings
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.actions import AddFile
from puredelta.log.file_stats import num_records
from puredelta.log.files import each_file, files_table, total_bytes
from puredelta.rows.data_files import RowReader
from puredelta.rows.writing.data_files import (
    COMPRESSION,
    Partition,
    write_partitions,
)
from puredelta.rows.writing.exact_casts import cast_exactly
from puredelta.rows.writing.file_layout import FileLayout
from puredelta.rows.writing.needs_spark import why_not_copied
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import decode_path

logger = logging.getLogger(__name__)

MOST_NEW_ROWS = 500_000
"""So many rows that change come to the driver; of more, Spark writes the files."""

# What these rows may take in memory. Spark lets a job return 1 GB by default.
_MOST_NEW_BYTES = 256 << 20

# Files of this size together are in memory at once; rows take about eight times as much there.
_BYTES_AT_ONCE = 128 << 20

# Rows that stay wait in memory for those that change, up to this; of more, files are read twice.
_KEPT_BYTES = 128 << 20

_Item = TypeVar("_Item")


class SparkNeededError(Exception):
    """Spark has to write the files: Arrow does not read one alike, or the driver is too small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverRewrite:
    """Writes files of a table anew.

    Attributes:
        target: the table.
        files: the files, as `log.files.FILES`.
        gone: the numbers of the rows of each that do not stay as they are.
        layout: how rows lie in the table's files.
        reader: reads them.
    """

    target: WriteTarget
    files: pa.Table = field(repr=False)
    gone: Sequence[BitMap64] = field(repr=False)
    layout: FileLayout
    reader: RowReader
    # The rows that stay of files that were read already, by the number of the file.
    _kept: dict[int, pa.Table] = field(default_factory=dict, repr=False)
    # The files that threads have made since they were started.
    _made: list[AddFile] = field(default_factory=list, repr=False)

    @contextmanager
    def changing_rows(self) -> Iterator[pa.Table]:
        """Give the rows that do not stay to a scan: as a file for each file, which go at the end.

        Yields:
            Files, as `log.files.FILES`, in the order of `files`.

        Raises:
            SparkNeededError: Spark has to write the files.
        """
        made = self._in_threads("reading rows", self._extract, [*enumerate(each_file(self.files))])
        try:
            yield files_table(made)
        finally:
            self._remove(made)

    def write(self, new: pa.Table | None = None, origins: pa.Table | None = None) -> WrittenFiles:
        """Write the rows of files that stay, and others beside them.

        Args:
            new: the rows that come, with the columns of the table, and behind them `FILE`: the
                file that a row was in, null for one that was in none.
            origins: the files that `FILE` names, in the order of `files`.

        Raises:
            SparkNeededError: Spark has to write the files.
        """
        planned = plan_new_files(self.files, self._by_file(new, origins), self.layout)
        written = self._in_threads("copying rows", self._write_one, planned)
        rows = sum(num_records(files_table(written)).to_pylist())
        return WrittenFiles(files=tuple(written), empty=(), rows=rows)

    def _in_threads(
        self, what: str, work: Callable[[_Item], list[AddFile]], items: Sequence[_Item]
    ) -> list[AddFile]:
        """Return the files that some work makes of each item, in their order."""
        self._made.clear()
        # Each thread notes the files that it writes for the statement that this one runs.
        tasks = [(contextvars.copy_context(), item) for item in items]
        made = run_in_parallel(
            lambda task: task[0].run(work, task[1]), tasks, threads=self._threads
        )
        try:
            return [file for files in track(made, what, len(tasks)) for file in files]
        except (SparkNeededError, *UNREADABLE) as reason:
            logger.debug("files are written by Spark", exc_info=True)
            self._remove(self._made)
            raise SparkNeededError from reason

    @property
    def _threads(self) -> int:
        largest: int = max(1, pc.max(self.files["size"]).as_py())
        return max(1, min(os.cpu_count() or 1, _BYTES_AT_ONCE // largest))

    def _remove(self, made: Iterable[AddFile]) -> None:
        self.target.before.store.delete([decode_path(file.path) for file in made])

    def _by_file(
        self, new: pa.Table | None, origins: pa.Table | None
    ) -> Iterator[tuple[int | None, pa.Table]]:
        """Yield the rows of each file that come, as files hold them, and those of no file."""
        if new is None or not new.num_rows:
            return
        columns = [
            cast_exactly(new[place], column.data_type, wanted.type, (column.name,))
            for place, (column, wanted) in enumerate(
                zip(self.layout.table, self.layout.arrow, strict=True)
            )
        ]
        rows = pa.Table.from_arrays(columns, schema=self.layout.arrow)
        names = new[FILE].combine_chunks().dictionary_encode()
        listed = self.files if origins is None else origins
        known = file_positions(names.dictionary.to_pylist(), listed, self.target.table.root)
        places = known.take(names.indices)
        for place in pc.unique(places).to_pylist():
            is_here = pc.is_null(places) if place is None else pc.equal(places, place)
            yield place, rows.filter(is_here)

    def _extract(self, numbered: tuple[int, AddFile]) -> list[AddFile]:
        """Write the rows of a file that do not stay as a file; keep the others, if they are few."""
        number, file = numbered
        stay, gone = self._read(number, file)
        if gone.nbytes * self.files.num_rows > _MOST_NEW_BYTES:
            raise SparkNeededError
        if stay.nbytes * self.files.num_rows <= _KEPT_BYTES:
            self._kept[number] = stay
        made = self._written(file.partition_values or {}, gone)
        # Rows know the file that they were in by the place of this one.
        if len(made) != 1:
            raise SparkNeededError
        return made

    def _write_one(self, new: NewFile) -> list[AddFile]:
        kept = [
            self._kept.pop(number, None) or self._read(number, file)[0] for number, file in new.kept
        ]
        return self._written(new.values, pa.concat_tables([*kept, *new.new]))

    def _written(self, values: Mapping[str, str | None], rows: pa.Table) -> list[AddFile]:
        if not rows.num_rows:
            return []
        partition = Partition(dict(values), rows)
        made = list(write_partitions(self.target.before.store, [partition], self.layout))
        self._made.extend(made)
        return made

    def _read(self, number: int, file: AddFile) -> tuple[pa.Table, pa.Table]:
        """Return the rows of a file that stay, and those that do not, as files hold them."""
        stored = self.layout.data_columns
        wanted = pa.schema([self.layout.arrow.field(column.name) for column in stored])
        names = {*stored.names}
        pairs = zip(self.layout.table, self.layout.written, strict=True)
        columns = StructType(tuple(column for column, written in pairs if written.name in names))
        gone = np.fromiter(self.gone[number], np.int64, len(self.gone[number]))
        stay, go = [wanted.empty_table()], [wanted.empty_table()]
        for batch, numbers in self.reader.numbered_batches(file, columns, ROWS_AT_ONCE):
            arrays = [
                cast_exactly(pa.chunked_array([array]), column.data_type, to.type, (column.name,))
                for array, column, to in zip(batch.columns, columns, wanted, strict=True)
            ]
            rows = pa.Table.from_arrays(arrays, schema=wanted)
            stays = np.isin(numbers.to_numpy(), gone, assume_unique=True, invert=True)
            stay.append(rows.filter(pa.array(stays)))
            go.append(rows.filter(pa.array(~stays)))
        return pa.concat_tables(stay), pa.concat_tables(go)


def driver_rewrite(target: WriteTarget, files: pa.Table, gone: Sequence[BitMap64]) -> DriverRewrite:
    """Return what writes files of a table anew in the driver.

    Args:
        target: the table.
        files: rows of `target.before.files`.
        gone: the numbers of the rows of each that do not stay as they are.

    Raises:
        SparkNeededError: Spark has to write them.
    """
    context, before = target.context, target.before
    if (
        total_bytes(files) > context.settings.rewrite_on_driver << 20
        or pc.max(files["size"]).as_py() > _BYTES_AT_ONCE
        or not are_on_driver(target.table, files)
        or before.metadata.schema_string != target.metadata.schema_string
        # These record what changed, or which row is which, in files or columns of their own.
        or has_change_feed(target)
        or row_id_columns(target.metadata)
        # These say how files are to be written.
        or is_optimized(target.options, context.settings, target.metadata)
        or target.options.parquet
        or context.settings.data_folder
        or context.settings.codec.strip().lower() != COMPRESSION
        or why_not_copied(before.metadata, before.protocol) is not None
        or has_file_settings(context.session)
    ):
        raise SparkNeededError
    return DriverRewrite(
        target=target,
        files=files,
        gone=gone,
        layout=FileLayout(before.metadata),
        reader=reader_of(target),
    )


def collected(rows: DataFrame) -> pa.Table:
    """Return rows in the driver; runs a job."""
    return plan_in_this_thread(rows).toArrow()
