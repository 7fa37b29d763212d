"""The method of `DeltaTable` that merges rows by a condition."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from puredelta.commands.merge.clauses import Clauses
from puredelta.commands.merge.run import Merge
from puredelta.commands.table_ref import TableRef
from puredelta.frontend.catalog.lookup import parse_name
from puredelta.frontend.expression_arguments import Expression, condition_given
from puredelta.frontend.table_frame import TableFrame
from puredelta.merge_builder import DeltaMergeBuilder

__all__ = ["TableMerges"]


class TableMerges:
    """MERGE of rows into a table."""

    _spark: SparkSession
    _table: TableRef
    _alias: str | None
    _frames: TableFrame

    def merge(self, source: DataFrame, condition: Expression) -> DeltaMergeBuilder:
        """Start a MERGE of a DataFrame into this table.

        Names that both have need an alias in front: `table.alias("t").merge(df.alias("s"), ...)`.

        Args:
            source: the rows.
            condition: which row of the source belongs to which row of the table, SQL or a Column.

        Returns:
            A builder that takes the clauses; its `execute` merges.

        Raises:
            ValueError: `source` or `condition` is None.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        if source is None:
            raise ValueError("source must not be None: give a DataFrame")
        given: Any = source
        if not isinstance(given, DataFrame):
            raise TypeError(f"source must be a DataFrame, not {type(given).__name__}")
        on = condition_given(condition)
        if on is None:
            raise ValueError("condition must not be None: give SQL or a Column")
        merge = Merge(
            table=self._table,
            source=source,
            condition=on,
            clauses=Clauses(),
            alias=self._called(),
            frame=self._frames.known,
        )
        return DeltaMergeBuilder(self._spark, merge)

    def _called(self) -> tuple[str, ...]:
        """Return what clauses call the table: its alias, or its name in the catalog."""
        if self._alias is not None:
            return (self._alias,)
        name = self._table.name
        return () if name is None else tuple(parse_name(self._spark, name))
