"""What a table is made of, from its log, without Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from puredelta.log.inspection.checkpoints import list_checkpoints
from puredelta.log.inspection.column_stats import list_stats
from puredelta.log.inspection.detail import detail_row
from puredelta.log.inspection.files import list_files
from puredelta.log.inspection.history import list_history
from puredelta.log.inspection.partition_values import Reading, as_arrow_reads
from puredelta.log.inspection.partitions import list_partitions
from puredelta.log.reader import TableReader
from puredelta.log.snapshot import Snapshot
from puredelta.rows.log_rows import LogRows
from puredelta.table.column_report import column_rows
from puredelta.table.protocol.protocol_report import protocol_rows

Rows_co = TypeVar("Rows_co", bound=LogRows, covariant=True)


class RowsMaker(Protocol[Rows_co]):
    """Makes the rows that methods of an inspection return."""

    def __call__(self, make: Callable[[], pa.Table], *, is_record: bool = False) -> Rows_co:
        """Return rows that are computed when they are first used."""


class LogInspection(Generic[Rows_co]):
    """The content of a table's log; each method reads the log when its rows are first used.

    Examples:
        >>> puredelta.open_table("/data/flights").inspect.partitions().to_pandas()  # doctest: +SKIP
    """

    def __init__(
        self,
        reader: Callable[[], TableReader],
        rows: RowsMaker[Rows_co],
        reading: Callable[[], Reading] = lambda: as_arrow_reads,
    ) -> None:
        self._reader = reader
        self._rows = rows
        self._reading = reading

    def files(self) -> Rows_co:
        """Return the data files, a row each.

        `path` below the table; `size` in bytes; `modification_time`; for partitioned tables the
        struct `partition` with a typed field a column; `num_records`, the rows in the file, null
        when statistics do not say, and `num_deleted`, those of them that a deletion vector
        hides; `tags`; `base_row_id`, the id of the first row, and `default_row_commit_version`
        where rows are tracked; `clustering_provider`; `stats` as JSON.
        """
        return self._rows(lambda: list_files(self._snapshot(), self._reading()))

    def columns(self) -> Rows_co:
        """Return the columns, a row each, in their order.

        `name`; `type`; `nullable`; `partition`, whether the table is partitioned by it; `default`,
        in SQL; `generated`, its clause for a generated or identity column, as in CREATE TABLE;
        `comment`.
        """
        return self._rows(lambda: column_rows(self._snapshot()))

    def partitions(self) -> Rows_co:
        """Return the partitions that have files, a row each, ordered by their values.

        The struct `partition` with a typed field a column; `num_files`; `size` in bytes;
        `num_records` and `num_deleted`, null when a file does not say; `smallest_file` and
        `largest_file` in bytes; `modification_time` of the newest file. A table without partition
        columns is one row, without the column `partition`.
        """
        return self._rows(lambda: list_partitions(self._snapshot(), self._reading()))

    def stats(self, column: str | None = None) -> Rows_co:
        """Return the statistics of each file, a row for each file and column.

        `path` of the file; `column`, its path; `type`; `min` and `max`, null where unknown;
        `null_count`; `num_records`, the rows in the file; `tight_bounds`, false when deletion
        vectors came later. Texts may be cut.

        Args:
            column: the path of one column, `a.b`: its bounds come in its type. By default all
                columns, with bounds as text.

        Raises:
            DeltaAnalysisException: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, when the rows are asked for.
        """
        return self._rows(lambda: list_stats(self._snapshot(), column))

    def checkpoints(self) -> Rows_co:
        """Return the complete checkpoints of the log, the newest first.

        `version`; `kind`, `classic`, `multi-part` or `v2`; `in_use`, whether the version is read
        from it; how many `parts` and `sidecars`; `size` in bytes; `num_rows`, the actions in it;
        `modification_time`.
        """
        return self._rows(lambda: list_checkpoints(self._snapshot()))

    def protocol(self) -> Rows_co:
        """Return the features of the protocol, a row each.

        `min_reader_version` and `min_writer_version`, in each row; `feature`; `kind`,
        `reader-writer` or `writer`; `named`, or else implied by the versions; `readable` and
        `writable`, whether puredelta can do that with this table as far as the feature is
        concerned; `meaning`. Without features there is one row that has only the versions.
        """

        def rows() -> pa.Table:
            snapshot = self._snapshot()
            return protocol_rows(snapshot.protocol, snapshot.metadata)

        return self._rows(rows)

    def history(self, limit: int | None = None) -> Rows_co:
        """Return who made which version, newest first, in the columns of DESCRIBE HISTORY.

        Args:
            limit: how many versions to look at; all by default.
        """

        def rows() -> pa.Table:
            reader = self._reader()
            log, last = reader.log, reader.version
            # The history is read from the newest version back: the versions after the chosen one
            # are read in addition to the limit, and left out.
            newer = log.latest().version - last
            records = log.history(None if limit is None else limit + newer)
            return list_history(record for record in records if record.version <= last)

        return self._rows(rows)

    def versions(self, limit: int | None = None) -> Rows_co:
        """Return the versions with the size that the table had, the oldest first.

        `version`; `timestamp`; `operation`; `num_files`; `size` in bytes; `num_rows`, without those
        that deletion vectors hide, null where a file does not say.

        Args:
            limit: how many versions to look at, the newest ones; all by default.
        """
        return self._rows(lambda: self._reader().versions(limit))

    def detail(self) -> Rows_co:
        """Return what the table is, one row in the columns of DESCRIBE DETAIL."""
        return self._rows(lambda: detail_row(self._facts()), is_record=True)

    def _facts(self) -> dict[str, Any]:
        return self._reader().detail()

    def _snapshot(self) -> Snapshot:
        return self._reader().snapshot
