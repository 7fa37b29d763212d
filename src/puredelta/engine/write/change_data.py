"""Rows of a table, and rows that record changes -> data files and change data files.

One job writes both, so that they agree even where the query would give other rows when it runs
again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.write.file_writer import describe_files
from puredelta.engine.write.footers import Layout, WrittenFiles, read_written_files
from puredelta.log.actions import AddCdcFile
from puredelta.storage.location import encode_path
from puredelta.storage.store import Store
from puredelta.table.change_columns import CHANGE_FOLDER, CHANGE_TYPE
from puredelta.table.partition_values import values_from_folder

# A virtual partition column that `puredelta.FilesCommitter` knows.
_IS_CHANGE = "__puredelta_is_change"


def write_with_changes(
    frame: DataFrame, root: str, store: Store, layout: Layout, options: Mapping[str, str]
) -> tuple[WrittenFiles, list[AddCdcFile]]:
    """Write rows as files that no reader sees until a commit names them.

    Args:
        frame: the table's columns, in its order, and behind them `_change_type`: rows where it is
            null are the table's, the others only record changes.
        root: the table's folder, as Hadoop names it.
        store: the same folder, to remove the files if the statement fails.
        layout: how the table's rows lie in files.
        options: of Spark's Parquet writer, and of the table's file system.
    """
    apart = replace(layout, partition_columns=(_IS_CHANGE, *layout.partition_columns))
    marked = frame if _IS_CHANGE in frame.columns else with_mark(frame)
    changes: list[AddCdcFile] = []
    report = describe_files(marked, root, store, apart, options)
    # Files of a partition are opened for a row, so none is empty.
    return read_written_files(_data_files(report, layout, changes), layout), changes


def with_mark(frame: DataFrame) -> DataFrame:
    """Return the very frame that `write_with_changes` writes, for callers that count its rows.

    Args:
        frame: the same as there.
    """
    return frame.withColumn(_IS_CHANGE, F.col(CHANGE_TYPE).isNotNull())


def _data_files(
    described: Iterator[dict[str, Any]], layout: Layout, changes: list[AddCdcFile]
) -> Iterator[dict[str, Any]]:
    """Yield the reports on data files; append those on change data files to `changes`."""
    for report in described:
        if report["name"].startswith(f"{CHANGE_FOLDER}/"):
            changes.append(_change_file(report, layout))
        else:
            yield report


def _change_file(report: Mapping[str, Any], layout: Layout) -> AddCdcFile:
    return AddCdcFile(
        path=encode_path(report["name"]),
        partition_values=values_from_folder(
            report["partition"], layout.schema, layout.partition_columns
        ),
        size=report["size"],
        data_change=False,
    )
