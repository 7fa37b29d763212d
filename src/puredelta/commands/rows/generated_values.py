"""Generated columns of rows on their way into a table: computed where absent, else checked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StringType, StructField, StructType

from puredelta.commands.rows.row_constraints import Requirements, with_names
from puredelta.engine.catalyst.expression_columns import columns_of, expression_text, unaliased
from puredelta.engine.catalyst.stored_expressions import Stored, check_stored
from puredelta.engine.row_checks.char_padding import fixed_length, padded_rows
from puredelta.engine.row_checks.sql_rules import Condition
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.engine.session.spark_types import from_spark
from puredelta.schema.column_path import quote_name
from puredelta.table.expressions.generated_columns import (
    GenerationCheck,
    add_generated_columns_or_return_constraints,
)
from puredelta.table.protocol.feature_activation import GENERATION_KEY


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows with a table's columns.

    Attributes:
        frame: the rows.
        schema: the table's columns.
        given: those that the data has; the others hold nulls or defaults.
        partitions: names of the partition columns, in small letters.
        assignment: how values are cast.
    """

    frame: DataFrame
    schema: StructType
    given: Collection[str]
    partitions: Collection[str]
    assignment: StoreAssignment

    def with_computed(self, expressions: Mapping[str, str]) -> "TableRows":
        """Return the same rows with the values of some columns computed from the others.

        Args:
            expressions: by the names of the columns, in SQL.
        """
        named = {path[0] for text in expressions.values() for path in columns_of(text) or ()}
        columns = {
            name: self._computed(self.schema[name], text) for name, text in expressions.items()
        }
        # Expressions see CHAR columns padded, as queries do; computed ones have no value to pad.
        bases = StructType([field for field in self.schema if field.name not in expressions])
        seen = padded_rows(self.frame, bases)
        computed = seen.as_stored(with_names(seen.frame, named).withColumns(columns))
        whole = [F.col(quote_name(name)) for name in self.frame.columns]
        return replace(self, frame=computed.select(*whole))

    def _computed(self, field: StructField, text: str) -> Column:
        stored = Stored.generation(field.name, unaliased(text))
        value = self.assignment.default(stored, field.dataType)
        if is_text_of_partitions(field, self.partitions):
            value = F.nullif(value, F.lit(""))
        return value.alias(field.name, metadata=field.metadata or None)

    def condition(self, check: GenerationCheck) -> Condition:
        """Return the check of a column as a condition of what is stored.

        Raises:
            DeltaAnalysisError: PUREDELTA_STORED_EXPRESSION_REFUSED.
        """
        stored = Stored.generation(check.column, check.generation)
        check_stored(self.frame.sparkSession, stored)
        generation = f"({unaliased(check.generation)}\n)"
        if is_text_of_partitions(self.schema[check.column], self.partitions):
            generation = f"nullif({generation}, '')"
        # The check sees the CHAR column padded, so the computed value has to be padded, too.
        if length := fixed_length(self.schema[check.column]):
            generation = f"rpad({generation}, {length})"
        column = quote_name(check.column)
        text = f"{column} <=> {expression_text(check.generation)}"
        return Condition.of(check.name, text, f"{column} <=> {generation}", stored)


def is_text_of_partitions(field: StructField, partitions: Collection[str]) -> bool:
    """Say whether a column's '' is null from the write on, as the log stores both alike."""
    return field.name.lower() in partitions and isinstance(field.dataType, StringType)


def with_generated(rows: TableRows, demands: Requirements) -> tuple[DataFrame, Requirements]:
    """Compute the generated columns that rows lack, and demand that the others are right."""
    # Most tables have none: no schema is converted for them.
    if not any(GENERATION_KEY in field.metadata for field in rows.schema):
        return rows.frame, demands
    schema = from_spark(rows.schema)
    whole, checks = add_generated_columns_or_return_constraints(demands.table, rows, schema)
    conditions = tuple(whole.condition(check) for check in checks)
    return whole.frame, replace(demands, generated=conditions)
