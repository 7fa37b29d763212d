"""Looking after the flights: what slows the table down, and an older version brought back."""

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from puredelta.tables import DeltaTable


def tell(spark: SparkSession, console: Any, table: Path) -> None:
    """Compact the table, look what VACUUM would delete, delete a month by mistake, restore it.

    Args:
        spark: The session.
        console: Where lines are printed.
        table: The folder of the table.
    """
    flights = DeltaTable.forPath(spark, table)
    _show(console, flights.health())
    [done] = spark.sql(f"OPTIMIZE delta.`{table}`").collect()
    metrics = done["metrics"]
    console.print(
        f"    OPTIMIZE: {metrics['numFilesRemoved']} files became {metrics['numFilesAdded']}"
    )
    doomed = spark.sql(f"VACUUM delta.`{table}` DRY RUN").count()
    console.print(f"    VACUUM DRY RUN: {doomed} files could be deleted; others are too young")
    before, rows = flights.history(1).first()["version"], _count(spark, table)
    flights.delete("month = 7")
    lost = rows - _count(spark, table)
    console.print(f"    DELETE by mistake: {lost:,} flights of July are gone")
    _show(console, flights.restoreToVersion(before, dryRun=True))
    flights.restoreToVersion(before)
    if _count(spark, table) != rows:
        raise SystemExit("RESTORE did not bring all rows back")
    console.print(f"    [bold green]all {rows:,} flights are back[/]")


def _count(spark: SparkSession, table: Path) -> int:
    return int(spark.read.format("delta").load(str(table)).count())


def _show(console: Any, report: object) -> None:
    for line in str(report).splitlines():
        console.print(f"    {line}", markup=False)
