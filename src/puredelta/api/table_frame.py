"""The DataFrame of a `DeltaTable`, whose columns have the same ids in each call."""

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
        """Read nothing yet.

        Args:
            session: the session in which the table is read.
            table: the table.
            path: the folder that is loaded: that of the table or of a partition.
        """
        self._session = session
        self._table = table
        self._path = path
        self._fingerprint: str | None = None
        self._plan: Any = None

    @property
    def known(self) -> DataFrame | None:
        """The DataFrame of the last call of `frame`; None before the first call."""
        return None if self._plan is None else frame_of_plan(self._session, self._plan)

    def frame(self) -> DataFrame:
        """Return the table as a DataFrame, which reads the newest version each time it runs."""
        # An analyzed plan has the ids of its columns, and each load assigns new ones. It is loaded
        # again only when the schema has changed, which the plan could not show.
        fingerprint = schema_fingerprint(self._table.log().latest().metadata)
        if self._fingerprint != fingerprint:
            reader = self._session.read.format("delta").options(**self._table.options)
            self._plan = reader.load(self._path)._jdf.queryExecution().analyzed()
            self._fingerprint = fingerprint
        return frame_of_plan(self._session, self._plan)
