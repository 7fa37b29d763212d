"""Steps that several parity modules share: writing frames with a mode and options."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder


def rows(t: Recorder, values: str, columns: str = "id, v, p") -> DataFrame:
    """Rows of a VALUES list, e.g. `rows(t, "(1, 'a', 'x')")`."""
    return t.spark.sql(f"SELECT * FROM VALUES {values} AS data({columns})")


def no_rows(t: Recorder) -> DataFrame:
    """A frame with the columns of `rows` and no row."""
    return rows(t, "(0, '', '')").where("false")


def save(
    t: Recorder, label: str, frame: DataFrame, mode: str = "overwrite", **options: str
) -> None:
    """Save a frame to the scenario's path."""
    t.attempt(
        label,
        lambda: frame.write.format("delta").mode(mode).options(**options).save(t.path),
    )


def save_table(
    t: Recorder, label: str, frame: DataFrame, mode: str = "overwrite", **options: str
) -> None:
    """Save a frame as the table `t`."""
    t.attempt(
        label,
        lambda: frame.write.format("delta").mode(mode).options(**options).saveAsTable("t"),
    )


def load(t: Recorder) -> None:
    """Show the rows at the scenario's path."""
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))


def three_files(t: Recorder, target: str | None = None) -> None:
    """Make a table of three files: ids 1 to 3, 4 to 6, and 7 and 8 besides a null.

    Args:
        t: The scenario.
        target: Name of a table to make; None for the scenario's path.
    """
    name = target or f"delta.`{t.path}`"
    t.spark.sql(f"CREATE TABLE {name} (id INT, v STRING, p STRING) USING delta")
    for values in (
        "(1, 'a', 'x'), (2, 'b', 'y'), (3, NULL, 'x')",
        "(4, 'd', 'x'), (5, 'e', 'y'), (6, 'f', NULL)",
        "(7, 'g', 'x'), (8, 'h', 'y'), (NULL, 'i', 'z')",
    ):
        t.spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")


def by_partition(t: Recorder, target: str | None = None) -> None:
    """Make a table partitioned by p: a file each for x, y and null, then one more for x."""
    name = target or f"delta.`{t.path}`"
    t.spark.sql(f"CREATE TABLE {name} (id INT, v STRING, p STRING) USING delta PARTITIONED BY (p)")
    for values in (
        "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', 'y'), (5, 'e', NULL)",
        "(6, 'f', 'x'), (7, 'g', 'x')",
    ):
        t.spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")


def file_count(t: Recorder, label: str, table: str) -> None:
    """Show how many files a table has."""
    t.value(
        label, lambda: t.spark.sql(f"DESCRIBE DETAIL {table}").select("numFiles").collect()[0][0]
    )


def refusal(t: Recorder, label: str, action: Callable[[], object]) -> None:
    """Do what may break a rule of the table, and record what the error says of the row."""
    t.rows(f"refused: {label}", lambda: _said_of_the_row(action))


def _said_of_the_row(action: Callable[[], object]) -> list[str]:
    try:
        action()
    except Exception as error:  # noqa: BLE001  # what it is, is the observation
        # The text of a JVM exception goes on with its stack.
        lines = str(error).split("\tat ", 1)[0].splitlines()
        said = [line for line in lines if line.startswith(" - ")]
        head = next((line for line in lines if "violated by row" in line), "")
        return [*filter(None, [head[head.find("CHECK") :]]), *said] or ["another error"]
    return ["no error"]
