"""DataFrame -> Parquet files of a table, by Spark's own writer with our commit protocol."""

import json
import logging
from collections.abc import Iterator, Mapping
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from puredelta._util.progress import ProgressStep, progress
from puredelta.engine.bridge.classes import static_method
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.hadoop.table_options import file_system_options
from puredelta.engine.session.paths import hadoop_conf
from puredelta.engine.session.progress import job_progress
from puredelta.engine.session.sessions import setting
from puredelta.engine.write.footers import Layout, WrittenFiles, read_written_files
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.datatypes import VARIANT
from puredelta.schema.walk import types_in
from puredelta.storage.store import Store
from puredelta.storage.uncommitted import note

logger = logging.getLogger(__name__)

# The driver writes a local relation itself up to this many rows: beyond, a job is faster.
LOCAL_ROWS = 10_000

# Files whose footers cross over to Python together.
_FILES_AT_ONCE = 500

# Spark's default, INT96, has no statistics and is read by few others.
_FILE_SETTINGS = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}

# Protocol: Column Mapping, Writer Requirements. Files of a table that maps columns hold their ids.
_WRITE_IDS = {"spark.sql.parquet.fieldId.write.enabled": "true"}

_FILE_OPTIONS = {
    # Folder names carry the partition values: in UTC no instant is ambiguous.
    "timeZone": "UTC",
}

# Protocol: Variant Shredding. Only tables that ask for it get shredded files; from 4.1 on Spark
# would shred all of them.
_SHREDDING = "spark.sql.variant.writeShredding.enabled"
_FORCED_SHREDDING = "spark.sql.variant.forceShreddingSchemaForTest"
_WHOLE_VARIANTS = {"spark.sql.variant.inferShreddingSchema": "false"}


def write_files(
    frame: DataFrame,
    root: str,
    store: Store,
    layout: Layout,
    options: Mapping[str, str],
    folder: str = "",
) -> WrittenFiles:
    """Write a DataFrame's rows as files of a table that no reader sees until a commit names them.

    Args:
        frame: exactly the table's columns, in its order.
        root: the table's folder, as Hadoop names it.
        store: the same folder, to remove files without rows, and all if the statement fails.
        layout: how the table's rows lie in files.
        options: options of Spark's Parquet writer, such as `compression` or `maxRecordsPerFile`,
            and of the table's file system.
        folder: where in the table's folder the files go; empty for the folder itself.
    """
    result = read_written_files(describe_files(frame, root, store, layout, options, folder), layout)
    if result.empty:
        store.delete(list(result.empty))
    return result


def describe_files(
    frame: DataFrame,
    root: str,
    store: Store,
    layout: Layout,
    options: Mapping[str, str],
    folder: str = "",
) -> Iterator[dict[str, Any]]:
    """Write files and yield the report of `puredelta.FilesCommitter` on each; see `write_files`."""
    session = frame.sparkSession
    if not layout.shreds_variants:
        _check_no_forced_shredding(session, layout)
    # Our options win: partition values have to be in UTC, whatever time zone a user asks for.
    given = {**options, **_FILE_OPTIONS, **({} if layout.shreds_variants else _WHOLE_VARIANTS)}
    # Before 4.2 Spark's Parquet writer looks for these only in the job's settings.
    chosen = {k: v for k, v in options.items() if k in _FILE_SETTINGS or k.startswith("parquet.")}
    # An option of the write wins over our setting: it is how one write selects INT96 (decision 3).
    settings = _FILE_SETTINGS | chosen | _WRITE_IDS | file_system_options(options)
    with job_progress(session, "writing") as mode:
        committer = static_method("puredelta.FilesWriter", "write")(
            session._jsparkSession,
            frame._jdf,
            f"{root}/{folder}" if folder else root,
            list(layout.partition_columns),
            given,
            settings,
            LOCAL_ROWS,
            layout.in_files(frame.schema.json()),
        )
    with progress("reading footers", committer.size(), mode=mode) as step:
        for report in _described(committer, folder, step):
            # A file is noted before anybody sees it, so that it is removed when the statement fails
            # at any later point.
            note(store, [report["name"]])
            yield report


def _check_no_forced_shredding(session: SparkSession, layout: Layout) -> None:
    """Refuse a schema for shredding that the session forces on a table without shredding.

    Raises:
        DeltaAnalysisError: DELTA_SHREDDING_TABLE_PROPERTY_DISABLED.
    """
    if VARIANT not in types_in(layout.table):
        return
    forced = setting(session, _FORCED_SHREDDING, "")
    if forced and setting(session, _SHREDDING) == "true":
        raise DeltaAnalysisError(
            "DELTA_SHREDDING_TABLE_PROPERTY_DISABLED", key=_FORCED_SHREDDING, schema=forced
        )


def _described(committer: Any, folder: str, step: ProgressStep) -> Iterator[dict[str, Any]]:
    """Yield the committer's report on each file; footers are large, so few cross at once."""
    prefix = f"{folder}/" if folder else ""
    for start in range(0, committer.size(), _FILES_AT_ONCE):
        for report in json.loads(committer.describe(start, start + _FILES_AT_ONCE)):
            yield {**report, "name": prefix + report["name"]}
            step()


def has_file_settings(session: SparkSession) -> bool:
    """Say whether Hadoop's settings say how Parquet files are written: their pages, their keys."""
    return len(hadoop_conf(session).getPropsWithPrefix("parquet.")) > 0


def refresh_caches(frame_or_session: DataFrame | SparkSession, root: str) -> None:
    """Let cached DataFrames over a table be computed anew from its latest version.

    What a commit has made invalid, such as the cached rows of columns that are gone, is forgotten:
    the commit is made, and its statement must not fail for it.
    """
    given = frame_or_session
    session = given if isinstance(given, SparkSession) else given.sparkSession
    jsession = session._jsparkSession
    try:
        with settled():
            jsession.sharedState().cacheManager().recacheByPath(jsession, root)
    except PySparkException as reason:
        logger.debug("Cached data of %s is gone with its columns: %s", root, reason)
