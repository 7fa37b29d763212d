"""The methods of `DeltaTable` that find a table by path or name, or convert Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from puredelta._util.similar_names import like_it
from puredelta.commands.convert.command import Converted
from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.exceptions import public, shown
from puredelta.engine.hadoop.table_options import check_options
from puredelta.engine.session.paths import entries, hadoop_path
from puredelta.errors.classes import DeltaError, DeltaTableNotFoundError
from puredelta.frontend import answering
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, find_by_path, parse_name
from puredelta.frontend.catalog.partition_paths import is_table
from puredelta.frontend.convert import convert_to_delta
from puredelta.schema.column_path import quote_path
from puredelta.storage.location import path_text

Opened = tuple[TableRef, str | None]
"""A table, and the path that a read of it loads where that is not the whole table."""


def open_path(
    session: SparkSession, path: str | PathLike[str], hadoop_options: dict[str, str] | None
) -> Opened:
    """Find the table at a path; see `DeltaTable.forPath`."""
    answering.ensure(session)
    try:
        options = check_options(hadoop_options or {})
        found = find_by_path(session, path_text(path), options)
    except DeltaError as error:
        raise public(error) from error.__cause__
    return _delta_only(found, lambda: _like_path(session, path_text(path)))


def open_name(session: SparkSession, name: str) -> Opened:
    """Find the table of a name; see `DeltaTable.forName`."""
    answering.ensure(session)
    parts = parse_name(session, text_argument(name, "tableOrViewName"))
    try:
        found = find_by_name(session, parts)
    except AnalysisException as error:
        # A missing name is reported as DELTA_MISSING_DELTA_TABLE, as a table of another format is.
        if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
            raise
        found = ResolvedName(name=name)
    return _delta_only(found, lambda: _like_name(session, parts))


def is_delta_table(session: SparkSession, path: str | PathLike[str]) -> bool:
    """Say whether a path is a Delta table; see `DeltaTable.isDeltaTable`."""
    answering.ensure(session)
    with shown():
        return is_table(session, path_text(path))


def convert(
    session: SparkSession,
    identifier: str,
    partition_schema: str | StructType | None,
    *,
    dry_run: bool,
    on_bad_file: str,
    collect_stats: bool,
    infer_partitions: bool | None,
    delta_path: str | PathLike[str] | None,
) -> Converted:
    """Convert Parquet files in place; see `DeltaTable.convertToDelta`."""
    answering.ensure(session)
    with shown():
        return convert_to_delta(
            session,
            text_argument(identifier, "identifier"),
            partition_schema,
            dry_run=dry_run,
            on_bad_file=on_bad_file,
            collect_stats=collect_stats,
            infer_partitions=infer_partitions,
            delta_path=None if delta_path is None else path_text(delta_path),
        )


def text_argument(value: Any, name: str) -> str:
    """Return an argument that must be a str.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} needs to be a string but got '{type(value)}'.")
    return value


def _delta_only(found: ResolvedName, like: Callable[[], str]) -> Opened:
    if found.table is None:
        # What is there is listed for the message alone, and its failure would hide the error.
        hint = ""
        with suppress(PySparkException, Py4JError, OSError):
            hint = like()
        name = f"{found.name}{hint}"
        raise public(DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=name))
    return found.table, found.read_path


def _like_name(session: SparkSession, parts: Sequence[str]) -> str:
    """Return the tables of the same schema whose names are like one that does not exist."""
    schema = f" IN {quote_path(tuple(parts[:-1]))}" if len(parts) > 1 else ""
    tables = session.sql(f"SHOW TABLES{schema}").collect()
    return like_it(parts[-1], (row.tableName for row in tables))


def _like_path(session: SparkSession, path: str) -> str:
    """Return the entries of the same folder whose names are like one that does not exist."""
    folder, _, name = path.rstrip("/").rpartition("/")
    known = entries(session, hadoop_path(session, folder or "."))
    return "" if name in known else like_it(name, known)
