"""The DataFrame of a `DeltaTable`, whose columns are the same each time it is asked for."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.scan.handle import schema_fingerprint
from puredelta.engine.session.spark_objects import frame_of_plan


class TableFrame:
    """Makes a table's DataFrames.

    A column of one of them, `table.toDF()["id"]`, can stand in conditions on the table and beside
    another of them, as long as the table keeps its schema.
    """

    def __init__(self, session: SparkSession, table: TableRef, path: str) -> None:
        """Look at nothing yet.

        Args:
            session: where it is read.
            table: the table.
            path: what is loaded, its folder or that of a partition.
        """
        self._session = session
        self._table = table
        self._path = path
        self._mark: str | None = None
        self._plan: Any = None

    @property
    def known(self) -> DataFrame | None:
        """The DataFrame that was made last; None where nobody has asked for one."""
        return None if self._plan is None else frame_of_plan(self._session, self._plan)

    def frame(self) -> DataFrame:
        """Return the table as a DataFrame; what it has read before is not kept."""
        mark = schema_fingerprint(self._table.log().latest().metadata)
        if self._mark != mark:
            reader = self._session.read.format("delta").options(**self._table.options)
            self._plan = reader.load(self._path)._jdf.queryExecution().analyzed()
            self._mark = mark
        return frame_of_plan(self._session, self._plan)
