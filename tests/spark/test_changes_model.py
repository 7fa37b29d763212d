"""Random tables and statements beside a model in plain Python: rows, counts, told changes, row ids.

`PUREDELTA_SEEDS=200` tries more of them than each run does.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from puredelta.errors import DeltaConcurrentModificationError
from puredelta.table.check import check_table
from puredelta.table.check.finding import Severity
from tests.parts import seeds
from tests.spark.changed_rows import create, last, put
from tests.spark.row_model import COLUMNS, Row, Statement, a_change, an_insert, some_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

SEEDS = range(int(os.environ.get("PUREDELTA_SEEDS", "6")))
STATEMENTS = 4
FEATURES = {
    "delta.enableDeletionVectors": "true",
    "delta.columnMapping.mode": "name",
    "delta.enableRowTracking": "true",
    "delta.enableChangeDataFeed": "true",
}


@dataclass
class Table:
    """A table and its model.

    Attributes:
        spark: The session.
        root: Its folder.
        properties: What is on.
        rows: What it has to hold.
        ids: The row id and the version of each row, by its label.
        told: What the change data feed has to tell, with versions.
    """

    spark: SparkSession
    root: Path
    properties: dict[str, str]
    rows: list[Row]
    ids: dict[int, tuple[int, int]] = field(default_factory=dict)
    told: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """What statements call it."""
        return f"delta.`{self.root}`"

    def run(self, statement: Statement) -> list[Any]:
        """Run a statement on the table, not on the model."""
        return self.spark.sql(statement.sql.format(table=self.name)).collect()

    def apply(self, statement: Statement, version: int) -> tuple[int, ...]:
        """Run a statement on the model, as of a version that it makes; return its answer."""
        outcome = statement.apply(self.rows)
        self.rows = outcome.rows
        self.told.update({(*key, version): n for key, n in outcome.told.items()})
        for row in self.rows:
            if row.u in outcome.changed:
                self.ids[row.u] = (self.ids.get(row.u, (-1, -1))[0], version)
        return statement.answer(outcome.counts)

    def follow(self, order: list[Statement], committed: list[Statement], before: int) -> None:
        """Run statements on the model in an order, with versions in that of their commits."""
        rows, changed = self.rows, set()
        for statement in order:
            outcome = statement.apply(rows)
            rows = outcome.rows
            if outcome.counts.total():
                changed.add(statement.sql)
        made = [one.sql for one in committed if one.sql in changed]
        assert last(self.root) == before + len(made), [one.sql for one in committed]
        for statement in order:
            version = before + 1 + made.index(statement.sql) if statement.sql in changed else before
            self.apply(statement, version)

    def found_rows(self) -> list[tuple[Any, ...]]:
        """Read all rows."""
        found = self.spark.sql(f"SELECT u, id, p, n, s FROM {self.name} ORDER BY u").collect()
        return [_plain(row) for row in found]

    def shown(self) -> list[tuple[Any, ...]]:
        """Return all rows of the model, as they are read."""
        return _after(self.rows, [])

    def learn_ids(self) -> None:
        """Check row ids; new rows have new ones, which the model takes over."""
        if "delta.enableRowTracking" not in self.properties:
            return
        query = f"SELECT u, _metadata.row_id, _metadata.row_commit_version FROM {self.name}"
        found = {row[0]: (row[1], row[2]) for row in self.spark.sql(query).collect()}
        known = {u: one[0] for u, one in self.ids.items() if one[0] >= 0}
        assert len({one[0] for one in found.values()}) == len(found)
        for row in self.rows:
            identity, version = found[row.u]
            if row.u in known:
                assert identity == known[row.u]
            else:
                assert identity not in known.values()
            assert row.u not in self.ids or version == self.ids[row.u][1]
        self.ids.update(found)

    def check(self) -> None:
        """Check the feed since the first statement, and that log and files agree."""
        if "delta.enableChangeDataFeed" in self.properties:
            feed = self.spark.sql(f"SELECT * FROM table_changes_by_path('{self.root}', 0)")
            columns = ["u", "id", "p", "n", "s", "_change_type", "_commit_version"]
            found = Counter(
                map(_plain, feed.where("_commit_version > 3").select(*columns).collect())
            )
            assert found == self.told
        findings = check_table(str(self.root)).findings
        assert [one for one in findings if one.severity is Severity.ERROR] == []


def _plain(row: Any) -> tuple[Any, ...]:
    return tuple(tuple(one) if isinstance(one, tuple) else one for one in row)


@pytest.fixture
def made(spark: SparkSession, tmp_path: Path) -> Callable[..., Table]:
    """Make a random table of a few files."""

    def make(random: Random, labels: Iterator[int], **features: float) -> Table:
        properties = {
            key: value
            for key, value in FEATURES.items()
            if random.random() < features.get(key.rpartition(".")[2], 0.6)
        }
        root = tmp_path / "t"
        create(spark, root, COLUMNS, ["p"] if random.random() < 0.5 else [], properties)
        rows = []
        for count in (14, 10, 6):
            some = some_rows(random, labels, count)
            put(spark, root, *(row.sql for row in some))
            rows += some
        table = Table(spark, root, properties, rows)
        table.learn_ids()
        return table

    return make


@pytest.mark.parametrize("seed", seeds(SEEDS, gate=3))
def test_statements_do_what_the_model_does(made: Callable[..., Table], seed: int) -> None:
    random, labels = Random(seed), itertools.count()
    table = made(random, labels)

    for _ in range(STATEMENTS):
        statement = a_change(random, labels)
        before = last(table.root)
        [answer] = table.run(statement)
        assert tuple(answer) == table.apply(statement, before + 1), statement.sql
        assert last(table.root) == before + bool(answer[0]), statement.sql
        assert table.found_rows() == table.shown(), statement.sql
        table.learn_ids()
    table.check()


@pytest.mark.parametrize("seed", seeds(SEEDS, gate=3))
def test_statements_at_once_equal_some_order(
    made: Callable[..., Table], meanwhile: Callable[..., None], seed: int
) -> None:
    random, labels = Random(1000 + seed), itertools.count()
    table = made(random, labels, enableDeletionVectors=0.8)
    for _ in range(2):
        first = random.choice([a_change, a_change, an_insert])(random, labels)
        second = a_change(random, labels)
        before = last(table.root)
        # A statement that finds nothing to change makes no commit, so that none comes before it.
        waiting = [first]
        meanwhile(lambda waiting=waiting: table.run(waiting.pop()) if waiting else None)
        orders = [[first, second], [second, first]]
        try:
            table.run(second)
        except DeltaConcurrentModificationError:
            orders = [[first]]
        if waiting:
            orders = [[second]]
            waiting.clear()

        found = table.found_rows()
        explained = [order for order in orders if found == _after(table.rows, order)]
        assert explained, (first.sql, second.sql)
        table.follow(explained[0], [first, second], before)
        table.learn_ids()
    table.check()


def _after(rows: list[Row], order: list[Statement]) -> list[tuple[Any, ...]]:
    for statement in order:
        rows = statement.apply(rows).rows
    return sorted((row.shown for row in rows), key=_label)


def _label(row: tuple[Any, ...]) -> int:
    return int(row[0])
