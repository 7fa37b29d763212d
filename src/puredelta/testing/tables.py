"""Tables for a test, made of a few rows, of a DataFrame or of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructType

from puredelta.api.delta_table import DeltaTable
from puredelta.api.row_arguments import Rows, rows_from_argument
from puredelta.testing.table_rows import PythonRows, column_names, row_values

TableRows: TypeAlias = Rows | str | os.PathLike[str] | PythonRows
"""A DataFrame of Spark, pandas, polars or Arrow, a path of Parquet files, or rows of Python."""


class TableFactory:
    """Makes tables that go away with the test; the fixture `delta_table` is one.

    Args:
        spark: the session that writes them.
        folder: where tables without a name lie.

    Attributes:
        spark: the session.
    """

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self._folder = folder
        self._made = 0
        self._names: list[str] = []

    def __call__(
        self,
        rows: TableRows,
        schema: str | StructType | None = None,
        *,
        partition_by: str | Sequence[str] = (),
        properties: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> DeltaTable:
        """Make a table, in one commit.

        >>> delta_table([{"id": 1, "v": "a"}], "id INT, v STRING")  # doctest: +SKIP

        Args:
            rows: a DataFrame of Spark, pandas, polars or Arrow; the path of a Parquet file or a
                folder of them; or rows of Python, as dictionaries or tuples. What a dictionary
                lacks is null. Rows of Python lie in one file for each partition.
            schema: columns and types of rows of Python, as DDL or of PySpark. Without it the types
                are those that Spark infers, and tuples need names.
            partition_by: the partition columns.
            properties: table properties, whose names start with `delta.`.
            name: its name in the catalog; without it, the table has a path only.

        Returns:
            The table.
        """
        frame = self._frame(rows, schema)
        columns = [partition_by] if isinstance(partition_by, str) else list(partition_by)
        if name is not None:
            self._names.append(name)
            _create(frame, name, columns, properties or {})
            return DeltaTable.forName(self.spark, name)
        path = self.new_path()
        writer = frame.write.format("delta").options(**(properties or {}))
        (writer.partitionBy(*columns) if columns else writer).save(path)
        return DeltaTable.forPath(self.spark, path)

    def new_path(self) -> str:
        """Return the path of a folder that does not exist yet, below the folder of the test."""
        self._made += 1
        return str(self._folder / f"table-{self._made}")

    def drop_tables(self) -> None:
        """Drop the tables that have a name."""
        for name in self._names:
            self.spark.sql(f"DROP TABLE IF EXISTS {name}")
        self._names.clear()

    def _frame(self, rows: TableRows, schema: str | StructType | None) -> DataFrame:
        if isinstance(rows, (str, os.PathLike)):
            return self.spark.read.parquet(os.fspath(rows))
        if isinstance(rows, Sequence) and not hasattr(rows, "__arrow_c_stream__"):
            return self._python_rows(rows, schema).coalesce(1)
        return rows_from_argument(self.spark, rows, "rows")

    def _python_rows(self, rows: Sequence[Any], schema: str | StructType | None) -> DataFrame:
        if schema is None:
            names = column_names(rows) if rows else []
            if not names:
                raise ValueError("Rows without names, and no rows, need a schema")
            return self.spark.createDataFrame([row_values(row, names) for row in rows], names)
        columns = schema if isinstance(schema, StructType) else _columns_of(schema)
        values = [row_values(row, columns.names) for row in rows]
        return self.spark.createDataFrame(values, columns)


def _create(
    frame: DataFrame, name: str, columns: Sequence[str], properties: Mapping[str, str]
) -> None:
    # The other writer keeps properties for itself where a table has a name.
    writer = frame.writeTo(name).using("delta")
    for key, value in properties.items():
        writer = writer.tableProperty(key, value)
    if columns:
        writer = writer.partitionedBy(*map(F.col, columns))
    writer.create()


def _columns_of(ddl: str) -> StructType:
    columns = StructType.fromDDL(ddl)
    if not isinstance(columns, StructType):
        raise TypeError(f"A schema needs names and types, such as 'id INT, v STRING', not {ddl!r}")
    return columns
