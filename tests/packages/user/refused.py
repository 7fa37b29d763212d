"""Code that type checkers refuse, at each line with the mark and at no other."""

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession

import puredelta


def wrong(spark: SparkSession, table: DeltaTable, news: DataFrame) -> None:
    """Give arguments of other types."""
    DeltaTable.forName(spark, 3)  # refused
    table.history("five")  # refused
    table.update(set={"name": 3})  # refused
    table.merge(news, 5)  # refused
    table.merge("news", "t.id = s.id")  # refused
    table.upsert(news, key=1)  # refused
    table.vacuum("x")  # refused
    table.restoreToVersion("1")  # refused
    DeltaTable.create(spark).addColumn("id", 2)  # refused
    puredelta.configure("builder")  # refused
    frame: DataFrame = DeltaTable.forName(spark, "t")  # refused
    frame.count()
