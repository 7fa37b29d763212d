"""Matched columns in PySpark's types, as casts need them."""

from dataclasses import dataclass

from pyspark.sql.types import StructType

from puredelta.engine.session.spark_types import to_spark
from puredelta.table.evolution.column_matching import ColumnMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A table's columns, and where the values of each come from.

    Attributes:
        schema: all columns of the table.
        sources: for each of them the place of the DataFrame's column, None where it has none.
    """

    schema: StructType
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
