"""Tables of delta-spark with generated and identity columns, which its SQL does not declare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.interop.features.scenario import Scenario

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _generated(spark: SparkSession, path: Path) -> None:
    from delta.tables import DeltaTable

    (
        DeltaTable.create(spark)
        .location(str(path))
        .addColumn("id", "INT")
        .addColumn("at", "TIMESTAMP")
        .addColumn("day", "DATE", generatedAlwaysAs="CAST(at AS DATE)")
        .addColumn("double", "INT", generatedAlwaysAs="id * 2")
        .partitionedBy("day")
        .execute()
    )


def _generated_by_a_feature(spark: SparkSession, path: Path) -> None:
    from delta.tables import DeltaTable

    (
        DeltaTable.create(spark)
        .location(str(path))
        .addColumn("id", "INT")
        .addColumn("at", "TIMESTAMP")
        .addColumn("s", "STRUCT<name: STRING>")
        .addColumn("year", "INT", generatedAlwaysAs="YEAR(at)")
        .addColumn("month", "INT", generatedAlwaysAs="MONTH(at)")
        .addColumn("initial", "STRING", generatedAlwaysAs="SUBSTRING(s.name, 1, 1)")
        .partitionedBy("year", "month")
        .property("delta.feature.generatedColumns", "supported")
        .property("delta.columnMapping.mode", "name")
        .execute()
    )


def _identity(spark: SparkSession, path: Path) -> None:
    from delta.tables import DeltaTable, IdentityGenerator

    (
        DeltaTable.create(spark)
        .location(str(path))
        .addColumn("key", "BIGINT", generatedAlwaysAs=IdentityGenerator(10, 5))
        .addColumn("own", "BIGINT", generatedByDefaultAs=IdentityGenerator(-1, -1))
        .addColumn("s", "STRING")
        .execute()
    )


SCENARIOS: dict[str, Scenario] = {
    "generated_columns": Scenario(
        steps=(
            _generated,
            "INSERT INTO {t} (id, at) VALUES (1, TIMESTAMP'2020-01-02 03:04:05'), (2, NULL)",
        ),
        queries=(
            "SELECT id FROM {t} WHERE day = DATE'2020-01-02'",
            "SELECT id FROM {t} WHERE at = TIMESTAMP'2020-01-02 03:04:05'",
        ),
    ),
    "generated_columns_of_a_feature": Scenario(
        steps=(
            _generated_by_a_feature,
            """INSERT INTO {t} (id, at, s) VALUES
               (1, TIMESTAMP'2020-01-02 03:04:05', named_struct('name', 'ann')), (2, NULL, NULL),
               (3, TIMESTAMP'1969-12-31 23:59:59', named_struct('name', NULL))""",
            """INSERT INTO {t} SELECT id + 10, at + INTERVAL 1 MONTH, s,
               year(at + INTERVAL 1 MONTH), month(at + INTERVAL 1 MONTH), initial FROM {t}""",
        ),
        at=(1,),
        queries=(
            "SELECT id FROM {t} WHERE at < TIMESTAMP'2020-02-01 00:00:00'",
            "SELECT id FROM {t} WHERE at IS NULL",
            "SELECT id FROM {t} WHERE s.name = 'ann' AND at >= TIMESTAMP'2020-02-01 00:00:00'",
        ),
    ),
    "identity_columns": Scenario(
        steps=(
            _identity,
            "INSERT INTO {t} (s) VALUES ('a'), ('b')",
            "INSERT INTO {t} (own, s) VALUES (100, 'c')",
        ),
        at=(1,),
        queries=("SELECT s FROM {t} WHERE key >= 15",),
    ),
}
