"""DESCRIBE HISTORY and DESCRIBE DETAIL as rows; the facts come from the log."""

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.log.reader import open_table

_TEXT = StringType()
_TEXTS = MapType(_TEXT, _TEXT)


def _struct(**fields: Any) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


_JOB = _struct(
    jobId=_TEXT, jobName=_TEXT, jobRunId=_TEXT, runId=_TEXT, jobOwnerId=_TEXT, triggerType=_TEXT
)

HISTORY = _struct(
    version=LongType(),
    timestamp=TimestampType(),
    userId=_TEXT,
    userName=_TEXT,
    operation=_TEXT,
    operationParameters=_TEXTS,
    job=_JOB,
    notebook=_struct(notebookId=_TEXT),
    clusterId=_TEXT,
    readVersion=LongType(),
    isolationLevel=_TEXT,
    isBlindAppend=BooleanType(),
    operationMetrics=_TEXTS,
    userMetadata=_TEXT,
    engineInfo=_TEXT,
)

DETAIL = _struct(
    format=_TEXT,
    id=_TEXT,
    name=_TEXT,
    description=_TEXT,
    location=_TEXT,
    createdAt=TimestampType(),
    lastModified=TimestampType(),
    partitionColumns=ArrayType(_TEXT),
    clusteringColumns=ArrayType(_TEXT),
    numFiles=LongType(),
    sizeInBytes=LongType(),
    properties=_TEXTS,
    minReaderVersion=IntegerType(),
    minWriterVersion=IntegerType(),
    tableFeatures=ArrayType(_TEXT),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeHistory:
    """DESCRIBE HISTORY: who made which version, newest first.

    Attributes:
        table: whose history.
        limit: how many versions to look at; None for all.
    """

    table: TableRef
    limit: int | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return the versions; the keys are the columns of HISTORY."""
        return open_table(self.table.url, storage_options=self.table.options).history(self.limit)

    def run(self, context: Context) -> DataFrame:
        """Return the versions as a DataFrame of the schema HISTORY."""
        return frame_of_rows(context.session, self.rows(), HISTORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeOther:
    """DESCRIBE DETAIL of what is not Delta: the few columns that are known.

    Attributes:
        location: where it lies.
        name: its name in the catalog; None for a path.
        provider: its format; None when that is not known.
        description: its comment.
        partition_columns: its partition columns, where the catalog knows them.
        created_ms: when the catalog made it, in milliseconds since 1970, where it says.
    """

    location: str
    name: str | None = None
    provider: str | None = None
    description: str | None = None
    partition_columns: tuple[str, ...] | None = None
    created_ms: int | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return the row; the keys are columns of DETAIL."""
        columns = self.partition_columns
        row: dict[str, Any] = {
            "format": self.provider,
            "name": self.name,
            "description": self.description,
            "location": self.location,
            "createdAt": None if self.created_ms is None else _iso(self.created_ms),
            "partitionColumns": None if columns is None else list(columns),
            "properties": {},
        }
        return [row]


def _iso(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return moment.isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeDetail:
    """DESCRIBE DETAIL: what a table is, in one row."""

    table: TableRef

    def rows(self) -> list[dict[str, Any]]:
        """Return the row; the keys are the columns of DETAIL."""
        row = open_table(self.table.url, storage_options=self.table.options).detail()
        row |= {"location": self.table.root, "name": self.table.name}
        return [row]

    def run(self, context: Context) -> DataFrame:
        """Return the row as a DataFrame of the schema DETAIL."""
        return frame_of_rows(context.session, self.rows(), DETAIL)
