"""CONVERT TO DELTA, told as a statement or a call: from what the user wrote to the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from puredelta.commands.convert.catalog_table import target_of_entry
from puredelta.commands.convert.identifier import resolve_convert_target
from puredelta.commands.convert.run import ConvertToDeltaCommand
from puredelta.commands.convert.surroundings import surroundings_of, timestamp_type
from puredelta.commands.table_ref import TableRef
from puredelta.conversion.partition_clause import partition_columns
from puredelta.conversion.report import Conversion
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.targets import ConvertTarget
from puredelta.engine.context import Context, context_of
from puredelta.engine.session_catalog import SESSION_CATALOG
from puredelta.engine.spark import parsed_schema
from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.catalog.lookup import parse_name
from puredelta.schema.codec import schema_from_json
from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import StructType, simple_string
from puredelta.table.schema_check import can_partition

_PARTS_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class Converted:
    """What a conversion did, and to which table.

    Attributes:
        table: the Delta table.
        report: what was done.
    """

    table: TableRef
    report: Conversion


def convert(context: Context, name: Sequence[str], request: ConvertRequest) -> Converted:
    """Convert what a name is.

    Args:
        context: the session.
        name: one to three parts.
        request: what the user asks.

    Raises:
        AnalysisException: Spark's, for a name that nothing has.
        DeltaError: what `resolve_convert_target` and `ConvertToDeltaCommand.run` raise.
    """
    found = resolve_convert_target(context.session, name)
    entry = None if isinstance(found, ConvertTarget) else found
    label = ".".join(map(quoted, name))
    target = found if isinstance(found, ConvertTarget) else target_of_entry(found, label)
    report = ConvertToDeltaCommand(
        target=target,
        request=request,
        surroundings=surroundings_of(context, collects_stats=request.collect_stats),
        context=context,
        entry=entry,
    ).run()
    names = None if entry is None else f"{SESSION_CATALOG}.{entry.database}.{entry.table}"
    return Converted(TableRef(root=target.location, name=names), report)


def convert_to_delta(
    session: SparkSession,
    identifier: str,
    partition_schema: str | spark_types.StructType | None,
    *,
    dry_run: bool,
    on_bad_file: str,
    collect_stats: bool,
    infer_partitions: bool | None,
) -> Converted:
    """Run the call of the API; see `DeltaTable.convertToDelta`."""
    name = parse_name(session, identifier)
    if len(name) > _PARTS_AT_MOST:
        raise DeltaParseError("DELTA_PARSING_ILLEGAL_TABLE_NAME", tableName=identifier)
    context = context_of(session)
    infers = context.settings.convert.infer_partitions
    request = ConvertRequest(
        partition_schema=partitions_of_argument(partition_schema),
        infer_partitions=infers if infer_partitions is None else infer_partitions,
        collect_stats=collect_stats,
        dry_run=dry_run,
        on_bad_file=on_bad_file,
    )
    return convert(context, name, request)


def partitions_of_clause(context: Context, text: str | None) -> StructType | None:
    """Read what stands between the parentheses of PARTITIONED BY; None without the clause."""
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
    schema = schema_from_json(json.dumps(given.jsonValue()))
    for column in schema:
        if not can_partition(column.data_type):
            kind = simple_string(column.data_type)
            raise DeltaParseError(
                "DELTA_PARSING_UNSUPPORTED_DATA_TYPE", dataType=kind, columnName=column.name
            )
    return schema
