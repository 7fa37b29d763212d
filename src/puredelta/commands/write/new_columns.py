"""The columns that a table has after a write, and which column of the data goes into each."""

from collections.abc import Sequence

import msgspec

from puredelta.commands.rows.column_matching import Match, with_rules_of_table
from puredelta.commands.rows.layout import evolved_layout, with_schema
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructType
from puredelta.table.columns.schema_check import check_new_schema
from puredelta.table.evolution.column_matching import match_columns
from puredelta.table.evolution.matching_rules import MatchingRules
from puredelta.table.expressions.generated_columns import get_generated_columns
from puredelta.table.expressions.identity_columns import check_not_given
from puredelta.table.new_table import spelled
from puredelta.table.protocol.active_definitions import active_definitions
from puredelta.table.protocol.defaults import allows_defaults
from puredelta.table.protocol.feature_activation import maps_columns
from puredelta.table.protocol.protocol import schema_of


def match_to_table(
    context: Context,
    before: Snapshot,
    data: StructType,
    partition_by: Sequence[str],
    rules: MatchingRules,
) -> tuple[Metadata, Match]:
    """Match the columns of data to those of a table, which may evolve.

    Args:
        context: the session.
        before: the table.
        data: the columns of the data.
        partition_by: what the writer was given as partitioning; empty for nothing.
        rules: how; what the table itself says is filled in.

    Raises:
        DeltaAnalysisError: columns, types or partitioning that don't fit.
    """
    _check_partitioning(before, data, partition_by, rules.table)
    known = active_definitions(before.metadata, before.protocol)
    columns = schema_of(known)
    matched = match_columns(data, columns, with_rules_of_table(rules, before, columns, context))
    check_not_given(columns, matched.given)
    metadata = evolved_layout(known, matched.schema)
    return (before.metadata if metadata == known else metadata), Match.of(matched)


def replace_columns(
    before: Snapshot, data: StructType, partition_by: Sequence[str], table: str
) -> tuple[Metadata, Match]:
    """Give a table the columns of data in place of its own.

    Args:
        before: the table.
        data: the columns of the data.
        partition_by: the partitioning that the table gets.
        table: the table's name, for errors.

    Raises:
        DeltaAnalysisError: columns that no table may have.
    """
    known = active_definitions(before.metadata, before.protocol)
    check_not_given(schema_of(known), data.names)
    rules = MatchingRules(
        table=table,
        by_name=True,
        evolve=True,
        same_types=False,
        defaults=allows_defaults(before.protocol),
    )
    matched = match_columns(data, StructType(), rules)
    schema = matched.schema
    is_mapped = maps_columns(before.configuration, schema)
    check_new_schema(schema, partition_by, mapped=is_mapped)
    metadata = msgspec.structs.replace(
        with_schema(before.metadata, schema, replaces=True),
        partition_columns=spelled(schema, partition_by),
    )
    return metadata, Match.of(matched)


def _check_partitioning(
    before: Snapshot, data: StructType, partition_by: Sequence[str], table: str
) -> None:
    given = [name.lower() for name in partition_by]
    columns = [*data.names, *(field.name for field in get_generated_columns(before))]
    known = {name.lower() for name in columns}
    for name in partition_by:
        if name.lower() not in known:
            raise DeltaAnalysisError(
                "DELTA_PARTITION_COLUMN_NOT_FOUND", columnName=name, schemaMap=data.names
            )
    if given and given != [name.lower() for name in before.partition_columns]:
        raise DeltaAnalysisError(
            "DELTA_METADATA_MISMATCH",
            table=table,
            difference=f"the data is to be partitioned by {list(partition_by)} and "
            f"the table is partitioned by {before.partition_columns}",
        )
