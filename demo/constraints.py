"""What a table lets in, and how its columns change: every statement with what it answers.

`make demo` tells it after the story of the flights, in the same session.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Row, SparkSession
    from rich.console import Console

LOGGER = "puredelta.commands.alter.constraints"

# The script that shows a CHECK constraint, as users run it.
SCRIPT = (
    "DROP TABLE IF EXISTS delta_demo",
    "CREATE TABLE delta_demo (id INT) USING delta",
    "ALTER TABLE delta_demo ADD CONSTRAINT demo_check_constraint CHECK (id > 5)",
    "DESC HISTORY delta_demo",
    "INSERT INTO delta_demo VALUES 3",
    "SHOW TBLPROPERTIES delta_demo",
)
SHOWN = ("version", "operation", "operationParameters")


def tell(spark: SparkSession, console: Console, flights: Path) -> None:
    """Show a constraint at work, then change the columns of the flights without touching a file."""
    with_log_lines_on(console)
    for statement in SCRIPT:
        say(spark, console, statement)
    change_flights(spark, console, f"delta.`{flights}`")


def with_log_lines_on(console: Console) -> None:
    """Let what ADD CONSTRAINT logs be seen."""
    handler = logging.Handler()
    handler.emit = lambda record: console.print(f"    [yellow]{record.getMessage()}[/]")
    logging.getLogger(LOGGER).addHandler(handler)
    logging.getLogger(LOGGER).setLevel(logging.INFO)


def say(spark: SparkSession, console: Console, statement: str) -> None:
    """Run a statement, and print it with its rows or its error."""
    console.print(f"  [bold cyan]{escape(statement)};[/]", soft_wrap=True)
    try:
        rows = spark.sql(statement).collect()
    except PySparkException as error:
        told = escape(f"{type(error).__name__}: {error}")
        console.print(f"    [red]{told}[/]", soft_wrap=True)
        return
    if rows:
        print_rows(console, rows)


def print_rows(console: Console, rows: list[Row]) -> None:
    """Print rows; of a history, what was done."""
    fields = rows[0].__fields__
    shown = [name for name in fields if name in SHOWN] or fields
    table = Table(*shown, box=None, header_style="bold", padding=(0, 2, 0, 4))
    for row in rows:
        table.add_row(*(cell_text(row[name]) for name in shown))
    console.print(table)


def cell_text(value: object) -> str:
    """A value; the parameters of a commit as SQL prints a map."""
    if isinstance(value, dict):
        pairs = (f"{key} -> {'null' if v is None else v}" for key, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    return str(value)


def change_flights(spark: SparkSession, console: Console, flights: str) -> None:
    """Rename, add and drop columns of a table of 336,776 rows; its files stay as they are."""
    files = sorted(spark.table(flights).inputFiles())
    for statement in (
        f"ALTER TABLE {flights} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        f"ALTER TABLE {flights} RENAME COLUMN dep_delay TO departed_late",
        f"ALTER TABLE {flights} ADD COLUMN note STRING COMMENT 'by hand' AFTER flight",
        f"ALTER TABLE {flights} DROP COLUMN tailnum",
        f"ALTER TABLE {flights} ADD CONSTRAINT one_year CHECK (year = 2013 AND month <= 12)",
    ):
        say(spark, console, statement)
    assert sorted(spark.table(flights).inputFiles()) == files
    console.print("    [bold green]no data file was touched[/]")
