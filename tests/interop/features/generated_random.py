"""Random tables of ours with columns of every kind, after random writes."""

from __future__ import annotations

import itertools
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from tests.interop.features.scenario import Scenario
from tests.spark.definition_writes import a_write, run
from tests.spark.definitions import Definition, a_definition

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

WRITES = 6
NEW = "INSERT INTO {t} (tag, id, at, s) VALUES (1000, 5, TIMESTAMP'2022-02-02 02:02:02', 'new')"


def _made(table: Definition, some: Random) -> Callable[[SparkSession, Path], None]:
    tags = itertools.count()
    writes = [a_write(some, table, tags) for _ in range(WRITES)]

    def make(spark: SparkSession, path: Path) -> None:
        name = f"delta.`{path}`"
        for statement in table.statements(name):
            spark.sql(statement)
        for write in writes:
            # Which of them have to fail, and do, is for the tests of writes.
            with suppress(PySparkException):
                run(spark, name, table.types, write)

    return make


def _scenario(table: Definition, some: Random) -> Scenario:
    counts = table.identity is not None and not table.identity.takes_values
    return Scenario(
        steps=(_made(table, some),),
        queries=(broken_rows(table), "SELECT tag FROM {t} WHERE at >= '2020-02-29 12:00:00'"),
        unfit=("append",) if counts else (),
        goes_on=(NEW,),
    )


def broken_rows(table: Definition) -> str:
    """A query for rows that break a definition: it has to find none."""
    return f"SELECT tag FROM {{t}} WHERE {table.broken}"


SEEDS = (101, 111, 122, 131)
TABLES = {f"random_{seed}": a_definition(Random(seed), zone="UTC") for seed in SEEDS}
RANDOM_TABLES = {n: _scenario(one, Random(n)) for n, one in TABLES.items()}
