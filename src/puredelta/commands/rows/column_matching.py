"""Columns of data matched to a table: by which rules, and the outcome in PySpark's types."""

from dataclasses import dataclass, replace

from pyspark.sql.types import StructType as SparkStruct

from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_types import to_spark
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructType
from puredelta.table.columns.type_widening import automatic_widening
from puredelta.table.evolution.column_matching import ColumnMatch
from puredelta.table.evolution.matching_rules import MatchingRules
from puredelta.table.expressions.identity_columns import identity_columns
from puredelta.table.protocol.defaults import allows_defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A table's columns, and where the values of each come from.

    Attributes:
        schema: all columns of the table.
        sources: for each of them the place of the DataFrame's column, None where it has none.
    """

    schema: SparkStruct
    sources: tuple[int | None, ...]

    @classmethod
    def of(cls, matched: ColumnMatch) -> "Match":
        """Return the outcome of matching, for Spark."""
        return cls(schema=to_spark(matched.schema), sources=matched.sources)

    @property
    def given(self) -> list[str]:
        """The names of the columns that the data has."""
        pairs = zip(self.schema, self.sources, strict=True)
        return [field.name for field, place in pairs if place is not None]


def with_rules_of_table(
    rules: MatchingRules, before: Snapshot, columns: StructType, context: Context
) -> MatchingRules:
    """Return rules with what the table itself allows: defaults, other types, and for which columns.

    Args:
        rules: what the statement says.
        before: the table.
        columns: its columns, with the definitions that are active.
        context: the session.
    """
    identities = (column.name for column in identity_columns(columns))
    return replace(
        rules,
        defaults=allows_defaults(before.protocol),
        widening=automatic_widening(before.configuration, context.settings.automatic_widening),
        fixed=frozenset({*before.partition_columns, *identities}),
    )
