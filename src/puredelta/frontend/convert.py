"""CONVERT TO DELTA as a statement or a call: from what the user wrote to the command."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from puredelta.commands.convert.command import Converted, ConvertToDeltaCommand
from puredelta.commands.convert.session_options import timestamp_type
from puredelta.conversion.partitions.clause import partition_columns
from puredelta.engine.session.context import Context, context_of
from puredelta.engine.session.spark_objects import parsed_schema
from puredelta.engine.session.spark_types import from_spark
from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.catalog.lookup import parse_name
from puredelta.schema.datatypes import StructType, simple_string
from puredelta.table.columns.schema_check import can_partition

# Catalog, schema and table.
_MAX_PARTS = 3


def convert_to_delta(
    session: SparkSession,
    identifier: str,
    partition_schema: str | spark_types.StructType | None,
    *,
    dry_run: bool,
    on_bad_file: str,
    collect_stats: bool,
    infer_partitions: bool | None,
    delta_path: str | None,
) -> Converted:
    """Run the call of the API; see `DeltaTable.convertToDelta`."""
    name = parse_name(session, identifier)
    if len(name) > _MAX_PARTS:
        raise DeltaParseError("DELTA_PARSING_ILLEGAL_TABLE_NAME", tableName=identifier)
    command = ConvertToDeltaCommand(
        name,
        partitions_of_argument(partition_schema),
        collect_stats,
        delta_path,
        infer_partitions=infer_partitions,
        dry_run=dry_run,
        on_bad_file=on_bad_file,
    )
    return command.run(context_of(session))


def partitions_of_clause(context: Context, text: str | None) -> StructType | None:
    """Read the text between the parentheses of PARTITIONED BY; None without the clause."""
    if text is None:
        return None
    return partition_columns(text, timestamp_type=timestamp_type(context.session))


def partitions_of_argument(
    given: str | spark_types.StructType | None,
) -> StructType | None:
    """Read the argument `partitionSchema`: DDL text, or a schema.

    Raises:
        TypeError: it is neither.
        ParseException: Spark's, for a text that is no list of columns.
        DeltaParseError: DELTA_PARSING_UNSUPPORTED_DATA_TYPE.
    """
    if given is None:
        return None
    if isinstance(given, str):
        given = parsed_schema(given)
    if not isinstance(given, spark_types.StructType):
        raise TypeError(f"partitionSchema must be str or StructType, not {type(given).__name__}")
    schema = from_spark(given)
    # The same error as for the clause of the statement, whose parser refuses such a type.
    for column in schema:
        if not can_partition(column.data_type):
            kind = simple_string(column.data_type)
            raise DeltaParseError(
                "DELTA_PARSING_UNSUPPORTED_DATA_TYPE", dataType=kind, columnName=column.name
            )
    return schema
