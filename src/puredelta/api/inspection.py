"""What a table is made of, from its log, as Arrow tables and DataFrames."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone, tzinfo
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession

from puredelta.api.explain_files import explain_files
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.session.spark_objects import timestamp_micros
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.log.inspection.partition_values import Reading
from puredelta.log.reader import TableReader
from puredelta.log.snapshot import Snapshot
from puredelta.plots.table_plots import ChosenFiles, TablePlots
from puredelta.rows.log_inspection import LogInspection
from puredelta.rows.log_rows import LogRows
from puredelta.table.partition_values import typed_column
from puredelta.table.statistics.datetime_text import zone_rules


class InspectedRows(LogRows):
    """Rows of the log, which are computed at first use and then cached.

    A notebook shows the first rows: without empty columns, with sizes and times for people.
    Libraries that take Arrow data take this as it is: `polars.DataFrame(rows)`.
    """

    def __init__(
        self, session: SparkSession, make: Callable[[], pa.Table], *, is_record: bool = False
    ) -> None:
        def shown_rows() -> pa.Table:
            with shown():
                return make()

        super().__init__(shown_rows, zone=_zone(session), is_record=is_record)
        self._session = session

    def to_df(self) -> DataFrame:
        """Return the rows as a Spark DataFrame."""
        return self._session.createDataFrame(self.to_arrow())


class Inspection(LogInspection[InspectedRows]):
    """The content of a table's log; each method reads the newest version, unless `at` chose one.

    Examples:
        >>> table.inspect.partitions().to_pandas()  # doctest: +SKIP
        >>> table.inspect.at(version=3).files().to_df().orderBy("size")  # doctest: +SKIP
    """

    def __init__(
        self, session: SparkSession, table: TableRef, chosen: Snapshot | None = None
    ) -> None:
        super().__init__(self._read, partial(InspectedRows, session), self._read_partitions)
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

    @property
    def plot(self) -> TablePlots[str | Column]:
        """Pictures: `versions`, `sizes`, `partitions`, and `files_read` for a condition.

        They are drawn by matplotlib: `pip install "puredelta[plots]"`.
        """
        return TablePlots(self._table.label, self, self._files_read)

    def __repr__(self) -> str:
        version = "" if self._chosen is None else f", version={self._chosen.version}"
        return f"Inspection({self._table.label}{version})"

    def _read(self) -> TableReader:
        log = self._table.log()
        return TableReader(log, log.latest() if self._chosen is None else self._chosen)

    def _facts(self) -> dict[str, Any]:
        # As in DESCRIBE DETAIL of a table of the catalog.
        return {**super()._facts(), "location": self._table.root, "name": self._table.name}

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

    def _read_partitions(self) -> Reading:
        """Read partition values as Spark does: times of older writers are in the session's zone."""
        zone = time_zone(self._session)
        return lambda texts, data_type: typed_column(texts, data_type, zone)

    def _files_read(self, condition: str | Column) -> ChosenFiles:
        reader = self._session.read.format("delta").options(**self._table.options)
        if self._chosen is not None:
            reader = reader.option("versionAsOf", self._chosen.version)
        with shown():
            found = explain_files(self._table, reader.load(self._table.root), condition)
        return ChosenFiles(found.condition or "", found.paths())


def _zone(session: SparkSession) -> tzinfo:
    """Return the session's time zone; UTC for the names that only Java knows."""
    try:
        return zone_rules(time_zone(session))
    except (DeltaIllegalArgumentError, OSError):
        return timezone.utc
