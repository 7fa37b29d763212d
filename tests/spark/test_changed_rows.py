"""Random tables, DELETEs and UPDATEs: rows, counts and row ids are those of a plain model."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from puredelta.table.check import check_table
from puredelta.table.check.finding import Severity
from tests.spark.changed_rows import VECTORS, create, put, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

SEEDS = range(8)
STATEMENTS = 5
COLUMNS = "id INT, p STRING, n INT, s STRUCT<a: INT, b: STRING>"
MAPPED = {"delta.columnMapping.mode": "name"}
TRACKED = {"delta.enableRowTracking": "true"}
PARTITIONS = ("x", "y z", None)


@dataclass
class Row:
    """A row of the model."""

    id: int
    p: str | None
    n: int | None
    a: int | None
    b: str | None

    @property
    def sql(self) -> str:
        """The row as SQL values."""
        parts = f"named_struct('a', {_sql(self.a)}, 'b', {_sql(self.b)})"
        return f"({self.id}, {_sql(self.p)}, {_sql(self.n)}, {parts})"

    @property
    def shown(self) -> tuple[Any, ...]:
        """The row as a reader sees it."""
        return (self.id, self.p, self.n, (self.a, self.b))


@dataclass(frozen=True)
class Condition:
    """A condition in SQL and in Python; null counts as false."""

    sql: str
    holds: Callable[[Row], bool]


@dataclass(frozen=True)
class Change:
    """What an UPDATE sets, in SQL and in Python."""

    sql: str
    apply: Callable[[Row], None]


def _sql(value: Any) -> str:
    return "NULL" if value is None else repr(value)


def a_condition(random: Random) -> Condition:
    """Make up a condition."""
    few = sorted(random.sample(range(60), 4))
    least, kind = random.randrange(60), random.choice(PARTITIONS[:2])
    listed = ", ".join(map(str, few))
    return random.choice(
        [
            Condition(f"id IN ({listed})", lambda row: row.id in few),
            Condition(f"id >= {least}", lambda row: row.id >= least),
            Condition(f"p = '{kind}'", lambda row: row.p == kind),
            Condition("p IS NULL", lambda row: row.p is None),
            Condition(
                f"p <> '{kind}' AND n < {least}",
                lambda row: None not in (row.p, row.n) and row.p != kind and row.n < least,
            ),
            Condition(
                f"s.a % 3 = {least % 3}",
                lambda row: row.a is not None and row.a % 3 == least % 3,
            ),
            Condition(
                f"id IN (SELECT id FROM range({least}) WHERE id % 7 = 0)",
                lambda row: row.id < least and row.id % 7 == 0,
            ),
            Condition("true", lambda _row: True),
        ]
    )


def a_change(random: Random) -> Change:
    """Make up what an UPDATE sets."""
    number, kind = random.randrange(90), random.choice(PARTITIONS)

    def move(row: Row) -> None:
        row.p, row.n = kind, row.id

    def grow(row: Row) -> None:
        row.n = None if row.n is None else row.n + number

    def rename(row: Row) -> None:
        row.b, row.a = f"b{number}", row.n

    return random.choice(
        [
            Change(f"p = {_sql(kind)}, n = id", move),
            Change(f"n = n + {number}", grow),
            Change(f"s.b = 'b{number}', s.a = n", rename),
        ]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_those_of_the_model(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    root = tmp_path / "t"
    tracked = random.random() < 0.5
    properties = {
        **(VECTORS if random.random() < 0.6 else {}),
        **(MAPPED if random.random() < 0.4 else {}),
        **(TRACKED if tracked else {}),
    }
    create(spark, root, COLUMNS, ["p"] if random.random() < 0.5 else [], properties)
    rows = fill(spark, root, random)
    known = row_ids(spark, root) if tracked else {}

    for _ in range(STATEMENTS):
        condition = a_condition(random)
        found = [row for row in rows if condition.holds(row)]
        if random.random() < 0.4:
            statement = f"DELETE FROM delta.`{root}` WHERE {condition.sql}"
            rows = [row for row in rows if row not in found]
        else:
            change = a_change(random)
            statement = f"UPDATE delta.`{root}` SET {change.sql} WHERE {condition.sql}"
            for row in found:
                change.apply(row)

        assert run(spark, statement) == len(found), statement
        seen = spark.sql(f"SELECT id, p, n, s FROM delta.`{root}` ORDER BY id").collect()
        assert [tuple(row) for row in seen] == [row.shown for row in rows], statement

    if tracked:
        ids = row_ids(spark, root)
        assert ids == {row.id: known[row.id] for row in rows}
    assert_whole(root)


def fill(spark: SparkSession, root: Path, random: Random) -> list[Row]:
    """Add rows in several files, and return them."""
    rows = [
        Row(n, random.choice(PARTITIONS), random.choice([None, n * 2]), n % 5, f"b{n}")
        for n in range(60)
    ]
    for first, after in ((0, 25), (25, 50), (50, 60)):
        put(spark, root, *(row.sql for row in rows[first:after]))
    return rows


def row_ids(spark: SparkSession, root: Path) -> dict[int, int]:
    """Return the id that each row has, by what the table calls it."""
    found = spark.sql(f"SELECT id, _metadata.row_id AS row FROM delta.`{root}`").collect()
    return {row.id: row.row for row in found}


def assert_whole(root: Path) -> None:
    """Log, files, statistics and vectors agree."""
    found = check_table(str(root)).findings
    assert [one for one in found if one.severity is Severity.ERROR] == []
