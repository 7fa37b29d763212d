"""The rows of a query as the first files of a table that takes its schema from it."""

from pyspark.sql import DataFrame

from puredelta.commands.rows.column_matching import Match
from puredelta.commands.rows.file_writing import write_table_rows
from puredelta.commands.rows.layout import spark_schema
from puredelta.commands.rows.row_alignment import align_columns
from puredelta.commands.rows.row_constraints import requirements_of
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_types import from_spark
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.actions import Metadata
from puredelta.log.table_log import TableLog
from puredelta.schema.datatypes import StructType
from puredelta.table.columns.schema_check import check_duplicates
from puredelta.table.evolution.new_columns import make_columns


def stored_schema(frame: DataFrame) -> StructType:
    """Return the schema that a table takes from a query: its columns, all nullable.

    Raises:
        DeltaAnalysisError: DELTA_DUPLICATE_COLUMNS_FOUND.DATA.
    """
    schema = make_columns(from_spark(frame.schema))
    check_duplicates(schema, "DELTA_DUPLICATE_COLUMNS_FOUND.DATA")
    return schema


def first_files(
    context: Context,
    frame: DataFrame,
    table: TableRef,
    log: TableLog,
    metadata: Metadata,
    options: WriteOptions,
) -> WrittenFiles:
    """Write the rows of a query as the first files of a table with its schema."""
    schema = spark_schema(metadata)
    everything = Match(schema=schema, sources=tuple(range(len(schema))))
    assignment = StoreAssignment(context.session, by_name=False, table=table.label)
    demands = requirements_of(metadata.configuration)
    rows = align_columns(frame, everything, metadata.partition_columns, assignment, demands)
    return write_table_rows(context, table, log.store, metadata, options, rows)
