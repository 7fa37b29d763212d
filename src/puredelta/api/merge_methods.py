"""The method of `DeltaTable` that merges rows by a condition."""

from __future__ import annotations

from pyspark.sql import SparkSession

from puredelta.api.merge_builder import DeltaMergeBuilder
from puredelta.api.row_arguments import Rows, rows_from_argument
from puredelta.api.table_frame import TableFrame
from puredelta.commands.expression_arguments import Expression, condition_argument
from puredelta.commands.merge.clauses import Clauses
from puredelta.commands.merge.merge import Merge
from puredelta.commands.table_ref import TableRef
from puredelta.frontend.catalog.lookup import parse_name

__all__ = ["TableMerges"]


class TableMerges:
    """MERGE of rows into a table."""

    _spark: SparkSession
    _table: TableRef
    _alias: str | None
    _frames: TableFrame

    def merge(self, source: Rows, condition: Expression) -> DeltaMergeBuilder:
        """Start a MERGE of a DataFrame into this table.

        Names that both have need an alias in front: `table.alias("t").merge(df.alias("s"), ...)`.

        Args:
            source: the rows: a DataFrame of PySpark, or one of pandas, polars or Arrow.
            condition: which row of the source belongs to which row of the table, SQL or a Column.

        Returns:
            A builder that takes the clauses; its `execute` merges.

        Raises:
            ValueError: `source` or `condition` is None.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        if source is None:
            raise ValueError("'source' in merge cannot be None: give a DataFrame")
        rows = rows_from_argument(self._spark, source, "Type of 'source' in merge")
        on = condition_argument(condition)
        if on is None:
            raise ValueError("'condition' in merge cannot be None: give SQL or a Column")
        merge = Merge(
            table=self._table,
            source=rows,
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
