"""The methods of `DeltaTable` that start streams."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from puredelta.commands.keyed.keys import key_columns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.frontend.streaming.sink import SEQUENCE_BY, UPSERT_KEY


def upsert_stream(
    table: TableRef,
    df: DataFrame,
    key: str | Sequence[str],
    sequence_by: str | None,
) -> DataStreamWriter:
    """Merge the rows of a stream by their key; see `DeltaTable.upsert_stream`.

    Args:
        table: the table.
        df: the stream.
        key: the column that identifies a row, or several.
        sequence_by: the column in which the newest row of a key is greatest.

    Raises:
        ValueError: no column is named as the key.
        DeltaIllegalArgumentException: DELTA_ILLEGAL_OPTION, `df` is no stream.
        DeltaAnalysisException: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA for a column that `df` lacks.
    """
    names = key_columns(key)
    with shown():
        _check(df, [*names, *([] if sequence_by is None else [sequence_by])])
    writer = df.writeStream.format("delta").options(**table.options)
    writer = writer.option("path", table.root).option(UPSERT_KEY, json.dumps(names))
    return writer if sequence_by is None else writer.option(SEQUENCE_BY, sequence_by)


def _check(df: DataFrame, names: Sequence[str]) -> None:
    """Refuse, before a query starts, what would end its first batch."""
    if not df.isStreaming:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input="a DataFrame of a batch",
            name="df",
            explain="give a stream (spark.readStream), or use upsert for rows that are all there",
        )
    known = {name.lower() for name in df.columns}
    for name in names:
        if name.lower() not in known:
            raise DeltaAnalysisError(
                "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", columnName=name, tableSchema=df.columns
            )
