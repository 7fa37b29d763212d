"""The ids of rows that a rewrite copies: two columns behind those of the table.

Protocol: Row Tracking. A row's id is the base id of its file plus its row index, unless the file
stores an id for it. Copied rows keep theirs in hidden columns of the new file.
"""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.scan.row_tracking_metadata import ROW_COMMIT_VERSION, ROW_ID
from puredelta.log.actions import Metadata
from puredelta.schema.column_path import quote_name
from puredelta.table.protocol.row_tracking import PRESERVED_TAG, stored_columns


def row_id_columns(metadata: Metadata) -> tuple[str, ...]:
    """Return the names of the columns in which files keep ids and commit versions of rows.

    Returns:
        Nothing for a table that does not track its rows.
    """
    return stored_columns(metadata.configuration)


def with_row_ids(rows: DataFrame, metadata: Metadata) -> DataFrame:
    """Add to a scan, behind its other columns, what identifies each row.

    Args:
        rows: a scan of a table's files; its `_metadata` can still be asked for.
        metadata: the table's.
    """
    names = row_id_columns(metadata)
    if not names:
        return rows
    metadata_column = rows.metadataColumn("_metadata")
    fields = (metadata_column.getField(ROW_ID), metadata_column.getField(ROW_COMMIT_VERSION))
    return rows.withColumns(dict(zip(names, fields, strict=True)))


def kept(metadata: Metadata) -> list[Column]:
    """Return the columns of rows that move as they are: they keep id and commit version."""
    return [F.col(quote_name(name)).alias(name) for name in row_id_columns(metadata)]


def changed(metadata: Metadata) -> list[Column]:
    """Return the columns of updated rows: they keep the id, and get the new commit version."""
    # Protocol: Row Tracking. A null stands for the default of the row's file, here the version of
    # this commit.
    return [*kept(metadata)[:1], *fresh(metadata)[1:]]


def fresh(metadata: Metadata) -> list[Column]:
    """Return the columns of new rows: their file determines id and commit version."""
    return [F.lit(None).cast("bigint").alias(name) for name in row_id_columns(metadata)]


def preserved_tags(metadata: Metadata) -> Mapping[str, str | None]:
    """Return the tags of a commit that moves rows and takes their ids along."""
    return {PRESERVED_TAG: "true"} if row_id_columns(metadata) else {}
