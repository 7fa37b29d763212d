"""Random tables with columns of every kind, random writes: rows are those of a plain model."""

from __future__ import annotations

import datetime as dt
import itertools
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

from tests.parts import seeds
from tests.spark.definition_writes import Write, a_write, run
from tests.spark.definitions import GENERATED, MOMENTS, ZONES, Definition, Row, a_definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SEEDS = range(40, 52)
WRITES = 9
REFUSALS = (
    "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
    "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    "DELTA_MISSING_NOT_NULL_COLUMN_VALUE",
    "DELTA_INSERT_COLUMN_MISMATCH",
    "DELTA_REPLACE_WHERE_MISMATCH",
)
GIVEN_KEY = "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"
OLDEST = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


class Model:
    """What the table has to hold: rows by tag, and the keys that it gave out."""

    def __init__(self, table: Definition) -> None:
        """Start without rows."""
        self.table = table
        self.rows: dict[int, Row] = {}
        self.keys: dict[int, int] = {}

    def takes(self, write: Write) -> bool:
        """Whether the write is to succeed."""
        if self.table.id_must_hold and "id" not in write.columns:
            return False
        whole = [self.table.complete(row) for row in write.rows]
        matched = write.condition is None or all(write.covers(row) for row in whole)
        return matched and all(self.table.takes(row) for row in whole)

    def gives_key(self, write: Write) -> bool:
        """Whether the write gives a key that the table always generates itself."""
        own = self.table.identity
        return own is not None and not own.takes_values and "key" in write.columns

    def apply(self, write: Write) -> None:
        """Do what the write does."""
        new = {row["tag"]: self.table.complete(row) for row in write.rows}
        if write.form in ("overwrite", "insert overwrite"):
            self.rows = {}
        if write.form in ("replaceWhere", "insert replace"):
            self.rows = {tag: row for tag, row in self.rows.items() if not write.covers(row)}
        if write.form == "dynamic":
            replaced = [self.partition(row) for row in new.values()]
            self.rows = {
                t: row for t, row in self.rows.items() if self.partition(row) not in replaced
            }
        self.rows |= new

    def partition(self, row: Row) -> list[Any]:
        """The values of the partition columns."""
        return [row[name] for name in self.table.partitions]

    def check(self, found: dict[int, Row]) -> None:
        """Compare with what a reader finds; keys that the table gave out go on, and never again."""
        keys = {tag: row.pop("key", None) for tag, row in found.items()}
        expected = {t: {n: v for n, v in r.items() if n != "key"} for t, r in self.rows.items()}
        assert found == {tag: shown(row) for tag, row in expected.items()}
        if self.table.identity is not None:
            self.check_keys(keys)

    def check_keys(self, keys: dict[int, Any]) -> None:
        """Given keys stay as they are; others are new, in step, and further on than all before."""
        own = self.table.identity
        assert own is not None
        fresh = []
        for tag, key in keys.items():
            if "key" in self.rows[tag]:
                assert key == self.rows[tag]["key"]
            elif tag in self.keys:
                assert key == self.keys[tag]
            else:
                assert (key - own.start) % own.step == 0
                fresh.append((tag, key))
        ahead = [key * (1 if own.step > 0 else -1) for _, key in fresh]
        behind = [key * (1 if own.step > 0 else -1) for key in self.keys.values()]
        assert len(set(ahead)) == len(ahead)
        assert not ahead or not behind or min(ahead) > max(behind)
        assert all(key >= own.start * (1 if own.step > 0 else -1) for key in ahead)
        self.keys |= dict(fresh)


def shown(row: Row) -> Row:
    """A row as `read` gives it."""
    return {
        name: (value - OLDEST) // dt.timedelta(microseconds=1)
        if isinstance(value, dt.datetime)
        else value
        for name, value in row.items()
    }


def read(spark: SparkSession, table: str, types: dict[str, str]) -> dict[int, Row]:
    """The rows by tag, moments in microseconds."""
    columns = [
        f"unix_micros({name}) AS {name}" if kind == "TIMESTAMP" else name
        for name, kind in types.items()
    ]
    rows = [row.asDict(recursive=True) for row in spark.table(table).selectExpr(*columns).collect()]
    assert len({row["tag"] for row in rows}) == len(rows)
    return {row["tag"]: row for row in rows}


@pytest.fixture
def table(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    """A name for a table that goes again, in a session whose zone is put back."""
    zone = spark.conf.get("spark.sql.session.timeZone")
    name = f"t_definitions_{request.node.callspec.params['seed']}"
    yield name
    spark.conf.set("spark.sql.session.timeZone", zone)
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.mark.parametrize("seed", seeds(SEEDS, gate=4))
def test_rows_are_those_of_the_model(spark: SparkSession, table: str, seed: int) -> None:
    some = Random(seed)
    definition, tags = a_definition(some), itertools.count()
    spark.conf.set("spark.sql.session.timeZone", definition.zone.key)
    for statement in definition.statements(table):
        spark.sql(statement)
    model = Model(definition)

    for _ in range(WRITES):
        write = a_write(some, definition, tags)
        go(spark, table, model, write)
        model.check(read(spark, table, definition.types))

    assert spark.table(table).where(definition.broken).count() == 0
    look_up_in_every_zone(spark, table, model, some)


def go(spark: SparkSession, table: str, model: Model, write: Write) -> None:
    """Write; what the table does not take is refused for a reason that it has."""
    if model.takes(write) and not model.gives_key(write):
        run(spark, table, model.table.types, write)
        model.apply(write)
        return
    with pytest.raises(PySparkException) as told:
        run(spark, table, model.table.types, write)
    reasons = (GIVEN_KEY,) if model.gives_key(write) else REFUSALS
    assert (told.value.getCondition() or "").startswith(reasons), f"{write}: {told.value}"


def look_up_in_every_zone(spark: SparkSession, table: str, model: Model, some: Random) -> None:
    """A moment is found by readers anywhere, though partitions are days of the writer's zone."""
    moments = some.sample([one for one in MOMENTS if one is not None], 3)
    for zone, moment in itertools.product(ZONES, moments):
        spark.conf.set("spark.sql.session.timeZone", zone)
        text = moment.replace(tzinfo=None).isoformat(sep=" ")
        found = spark.table(table).where(f"at >= TIMESTAMP'{text} UTC' AND at IS NOT NULL")
        expected = {t for t, row in model.rows.items() if row["at"] and row["at"] >= moment}
        assert {row.tag for row in found.select("tag").collect()} == expected, (zone, moment)


def test_seeds_cover_every_kind_of_column_and_write() -> None:
    tables, forms = [], set()
    for seed in SEEDS:
        some = Random(seed)
        tables.append(a_definition(some))
        tags = itertools.count()
        forms |= {a_write(some, tables[-1], tags).form for _ in range(WRITES)}

    assert len(forms) == 11
    assert {name for one in tables for name in one.generated} == set(GENERATED)
    assert {name for one in tables for name in one.partitions} >= {"day", "year", "head"}
    assert {one.identity and one.identity.takes_values for one in tables} == {None, True, False}
