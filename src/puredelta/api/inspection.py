"""What a table is made of, from its log, as Arrow tables and DataFrames."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from puredelta.api.html import rows_html
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.session.spark_objects import timestamp_micros
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.log.inspection.checkpoints import list_checkpoints
from puredelta.log.inspection.column_stats import list_stats
from puredelta.log.inspection.files import list_files
from puredelta.log.inspection.history import list_history
from puredelta.log.inspection.partitions import list_partitions
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import DataType
from puredelta.table.column_report import column_rows
from puredelta.table.partition_values import typed_column
from puredelta.table.protocol.protocol_report import protocol_rows

if TYPE_CHECKING:
    import pandas as pd

_ROWS_SHOWN = 20


class InspectedRows:
    """Rows of the log, which are computed at first use and then cached.

    Libraries that take Arrow data take this as it is: `polars.DataFrame(rows)`.
    """

    def __init__(self, session: SparkSession, make: Callable[[], pa.Table]) -> None:
        self._session = session
        self._make = make

    @cached_property
    def _table(self) -> pa.Table:
        with shown():
            return self._make()

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        return self._table

    def to_df(self) -> DataFrame:
        """Return the rows as a Spark DataFrame."""
        return self._session.createDataFrame(self._table)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame."""
        frame: pd.DataFrame = self._table.to_pandas()
        return frame

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"InspectedRows({len(self):,} rows of {', '.join(self._table.column_names)})"

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        return rows_html(self._table, _ROWS_SHOWN)


class Inspection:
    """The content of a table's log; each method reads the newest version, unless `at` chose one.

    Examples:
        >>> table.inspect.partitions().to_pandas()  # doctest: +SKIP
        >>> table.inspect.at(version=3).files().to_df().orderBy("size")  # doctest: +SKIP
    """

    def __init__(
        self, session: SparkSession, table: TableRef, chosen: Snapshot | None = None
    ) -> None:
        self._session = session
        self._table = table
        self._chosen = chosen

    def at(self, version: int | None = None, timestamp: str | datetime | None = None) -> Inspection:
        """Return the same for an older version.

        Args:
            version: The version.
            timestamp: In its place, the time whose newest version is wanted; a text is in the
                time zone of the session.

        Raises:
            DeltaAnalysisException: there is no such version.
            DeltaIllegalArgumentException: DELTA_ONEOF_IN_TIMETRAVEL when not exactly one is given.
        """
        with shown():
            return Inspection(self._session, self._table, self._at(version, timestamp))

    def files(self) -> InspectedRows:
        """Return the data files, a row each.

        `path` below the table; `size` in bytes; `modification_time`; for partitioned tables the
        struct `partition` with a typed field a column; `num_records`, the rows in the file, null
        when statistics do not say, and `num_deleted`, those of them that a deletion vector
        hides; `tags`; `base_row_id`, the id of the first row, and `default_row_commit_version`
        where rows are tracked; `clustering_provider`; `stats` as JSON.
        """
        return self._rows(lambda: list_files(self._snapshot(), self._reading()))

    def columns(self) -> InspectedRows:
        """Return the columns, a row each, in their order.

        `name`; `type`; `nullable`; `partition`, whether the table is partitioned by it; `default`,
        in SQL; `generated`, its clause for a generated or identity column, as in CREATE TABLE;
        `comment`.
        """
        return self._rows(lambda: column_rows(self._snapshot()))

    def partitions(self) -> InspectedRows:
        """Return the partitions that have files, a row each, ordered by their values.

        The struct `partition` with a typed field a column; `num_files`; `size` in bytes;
        `num_records` and `num_deleted`, null when a file does not say; `smallest_file` and
        `largest_file` in bytes; `modification_time` of the newest file. A table without partition
        columns is one row, without the column `partition`.
        """
        return self._rows(lambda: list_partitions(self._snapshot(), self._reading()))

    def stats(self, column: str | None = None) -> InspectedRows:
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

    def checkpoints(self) -> InspectedRows:
        """Return the complete checkpoints of the log, the newest first.

        `version`; `kind`, `classic`, `multi-part` or `v2`; `in_use`, whether the version is read
        from it; how many `parts` and `sidecars`; `size` in bytes; `num_rows`, the actions in it;
        `modification_time`.
        """
        return self._rows(lambda: list_checkpoints(self._snapshot()))

    def protocol(self) -> InspectedRows:
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

    def history(self, limit: int | None = None) -> InspectedRows:
        """Return who made which version, newest first, in the columns of DESCRIBE HISTORY.

        Args:
            limit: how many versions to look at; all by default.
        """

        def rows() -> pa.Table:
            log = self._table.log()
            last = self._snapshot().version
            # The history is read from the newest version back: the versions after the chosen one
            # are read in addition to the limit, and left out.
            newer = log.latest().version - last
            records = log.history(None if limit is None else limit + newer)
            return list_history(record for record in records if record.version <= last)

        return self._rows(rows)

    def __repr__(self) -> str:
        version = "" if self._chosen is None else f", version={self._chosen.version}"
        return f"Inspection({self._table.label}{version})"

    def _rows(self, make: Callable[[], pa.Table]) -> InspectedRows:
        return InspectedRows(self._session, make)

    def _snapshot(self) -> Snapshot:
        return self._table.log().latest() if self._chosen is None else self._chosen

    def _at(self, version: int | None, timestamp: str | datetime | None) -> Snapshot:
        if (version is None) == (timestamp is None):
            raise DeltaIllegalArgumentError("DELTA_ONEOF_IN_TIMETRAVEL")
        log = self._table.log()
        if version is not None:
            return log.at_version(version)
        return log.at_timestamp(self._milliseconds(timestamp))

    def _milliseconds(self, timestamp: str | datetime | None) -> int:
        if isinstance(timestamp, datetime):
            return int(timestamp.timestamp() * 1000)
        micros = timestamp_micros(self._session, str(timestamp))
        if micros is None:
            raise DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=timestamp)
        return micros // 1000

    def _reading(self) -> Callable[[pa.Array, DataType], pa.Array]:
        """Read partition values as Spark does: times of older writers are in the session's zone."""
        zone = time_zone(self._session)
        return lambda texts, data_type: typed_column(texts, data_type, zone)
