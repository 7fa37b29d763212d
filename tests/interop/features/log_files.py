"""The log in all its forms: V2, multi-part and other checkpoints, compaction, clean-up, time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.interop.features.by_hand import add_commit, age, commits, drop_checksums, forget
from tests.interop.features.scenario import Scenario

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES = (
    "SELECT count(*), sum(id) FROM {t}",
    "SELECT id FROM {t} WHERE id = 3 OR s = 'row 5'",
    "SELECT p, count(*) FROM {t} GROUP BY p",
    "SELECT id FROM {t} WHERE p = 'p/1' AND d > 2.0",
)
V2 = "'delta.checkpointPolicy' = 'v2', "
JSON, PARQUET = (
    {"spark.databricks.delta.checkpointV2.topLevelFileFormat": kind} for kind in ("json", "parquet")
)
PARTS = {"spark.databricks.delta.checkpoint.partSize": "2"}
PROPERTIES = "'delta.enableInCommitTimestamps' = 'true', 'delta.feature.vacuumProtocolCheck'"


def _table(properties: str = "", interval: int = 3) -> tuple[str, ...]:
    return (
        (
            "CREATE TABLE {t} (id INT, s STRING, d DOUBLE, at TIMESTAMP, n STRUCT<x: DATE>,"
            " p STRING)"
            " USING delta PARTITIONED BY (p)"
            f" TBLPROPERTIES ({properties}'delta.checkpointInterval' = '{interval}')"
        ),
        *[_insert(n) for n in range(7)],
        "INSERT OVERWRITE {t} PARTITION (p = 'p/0') SELECT * EXCEPT (p) FROM {t} WHERE id = 100",
        _insert(8),
    )


def _insert(n: int) -> str:
    return (
        f"INSERT INTO {{t}} VALUES ({n}, 'row {n}', {n}.5D, TIMESTAMP'2020-01-0{n + 1} 01:02:03',"
        f" named_struct('x', DATE'2020-02-0{n + 1}'), 'p/{n % 3}')"
    )


def _write_transactions(spark: SparkSession, path: Path) -> None:
    for app, version in (("app-a", 1), ("app-b", 7), ("app-a", 2), ("app-a", 2)):
        writer = spark.range(version).selectExpr("INT(id) AS id").write.format("delta")
        writer = writer.option("txnAppId", app).option("txnVersion", version).mode("append")
        writer.save(str(path))


def compact(first: int, last: int) -> object:
    """Have Delta Kernel compact the commits of a range into one file."""

    def run(spark: SparkSession, path: Path) -> None:
        jvm = spark._jvm
        kernel = jvm.io.delta.kernel
        engine = kernel.defaults.engine.DefaultEngine.create(
            spark._jsparkSession.sessionState().newHadoopConf()
        )
        root = kernel.internal.fs.Path(f"file://{path}")
        log = kernel.internal.fs.Path(f"file://{path}/_delta_log")
        writer = kernel.internal.compaction.LogCompactionWriter(root, log, first, last, 0)
        writer.writeLogCompactionFile(engine)
        forget(spark, path)

    return run


def _age(days: int) -> object:
    def run(spark: SparkSession, path: Path) -> None:
        age(path, days)
        forget(spark, path)

    return run


def _lose_first_versions(spark: SparkSession, path: Path) -> None:
    for commit in commits(path)[:4]:
        commit.unlink()
    forget(spark, path)


def _lose_hint(spark: SparkSession, path: Path) -> None:
    (path / "_delta_log" / "_last_checkpoint").unlink()
    drop_checksums(path)
    forget(spark, path)


def _commit_what_nobody_knows(spark: SparkSession, path: Path) -> None:
    domain = {"domain": "acme.owner", "configuration": '{"who":"me"}', "removed": False}
    gone = {"domain": "acme.gone", "configuration": "", "removed": True}
    add_commit(path, {"domainMetadata": domain}, {"domainMetadata": gone})
    add_commit(path, {"txn": {"appId": "old", "version": 3}}, {"fromTheFuture": {"x": [1]}})
    drop_checksums(path)
    forget(spark, path)


def _thousand_files(spark: SparkSession, path: Path) -> None:
    rows = spark.range(0, 2000, 1, 1).selectExpr("INT(id) AS id", "CONCAT('row ', id) AS s")
    writer = rows.write.format("delta").option("maxRecordsPerFile", 2)
    writer.option("delta.enableDeletionVectors", "true").save(str(path))


SCENARIOS: dict[str, Scenario] = {
    "checkpoints_v2_json": Scenario(steps=_table(V2), at=(2, 4), queries=QUERIES, settings=JSON),
    "checkpoints_v2_parquet": Scenario(
        steps=_table(V2), at=(2, 4), queries=QUERIES, settings=PARQUET
    ),
    "checkpoints_v2_many_sidecars": Scenario(
        steps=_table(V2), at=(6,), queries=QUERIES, settings=JSON | PARTS
    ),
    "checkpoints_v2_parquet_many_sidecars": Scenario(
        steps=_table(V2), queries=QUERIES, settings=PARQUET | PARTS
    ),
    "checkpoints_v2_later": Scenario(
        steps=(
            *_table(),
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')",
            *[_insert(n) for n in range(3)],
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointPolicy' = 'classic')",
            *[_insert(n) for n in range(3)],
        ),
        at=(8, 10, 13),
        queries=QUERIES,
    ),
    "checkpoints_multi_part": Scenario(steps=_table(), at=(4, 6), queries=QUERIES, settings=PARTS),
    "checkpoints_with_json_statistics": Scenario(
        steps=_table("'delta.checkpoint.writeStatsAsStruct' = 'false', "), queries=QUERIES
    ),
    "checkpoints_with_struct_statistics": Scenario(
        steps=_table("'delta.checkpoint.writeStatsAsJson' = 'false', "), queries=QUERIES
    ),
    "checkpoints_without_statistics": Scenario(
        steps=_table(
            "'delta.checkpoint.writeStatsAsJson' = 'false',"
            " 'delta.checkpoint.writeStatsAsStruct' = 'false', "
        ),
        queries=QUERIES,
    ),
    "checkpoints_v2_struct_statistics": Scenario(
        steps=_table(f"{V2}'delta.checkpoint.writeStatsAsJson' = 'false', "), queries=QUERIES
    ),
    "checkpoints_without_hint": Scenario(steps=(*_table(), _lose_hint), at=(5,), queries=QUERIES),
    "compacted_log": Scenario(
        steps=(*_table(interval=50), compact(2, 5), compact(6, 8)),
        at=(1, 4, 5, 7),
        queries=QUERIES,
    ),
    "compacted_log_overlapping": Scenario(
        steps=(*_table(interval=4), compact(1, 4), compact(3, 7), compact(5, 6)),
        at=(6,),
        queries=QUERIES,
    ),
    "cleaned_log": Scenario(
        steps=(
            *_table(
                "'delta.logRetentionDuration' = 'interval 1 days', "
                "'delta.deletedFileRetentionDuration' = 'interval 1 days', "
            ),
            _age(40),
            *[_insert(n) for n in range(4)],
            # What is left is read for years.
            (
                "ALTER TABLE {t} SET TBLPROPERTIES"
                " ('delta.logRetentionDuration' = 'interval 9999 days',"
                " 'delta.deletedFileRetentionDuration' = 'interval 9999 days')"
            ),
        ),
        at=(10, 11),
        queries=QUERIES,
    ),
    "log_without_first_versions": Scenario(
        steps=(*_table(), _lose_first_versions), at=(4, 7), queries=QUERIES
    ),
    "timestamps_in_commits": Scenario(
        steps=_table("'delta.enableInCommitTimestamps' = 'true', "), at=(2,), queries=QUERIES
    ),
    "timestamps_in_commits_later": Scenario(
        steps=(
            *_table(),
            _age(3),
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
            *[_insert(n) for n in range(3)],
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'false')",
            _insert(4),
        ),
        at=(8, 9, 11),
        queries=QUERIES,
    ),
    "app_transactions": Scenario(
        steps=(_write_transactions,), at=(0, 1), queries=("SELECT count(*) FROM {t}",)
    ),
    "unknown_domain_and_action": Scenario(
        steps=(
            *_table("'delta.feature.domainMetadata' = 'supported', ")[:3],
            _commit_what_nobody_knows,
            _insert(5),
        ),
        at=(3,),
        queries=QUERIES,
    ),
    "thousand_files": Scenario(
        steps=(
            _thousand_files,
            "DELETE FROM {t} WHERE id % 400 = 7",
            "DELETE FROM {t} WHERE id BETWEEN 100 AND 300",
        ),
        at=(0, 1),
        queries=(
            "SELECT count(*), sum(id) FROM {t}",
            "SELECT id FROM {t} WHERE s = 'row 1999'",
            "SELECT s FROM {t} WHERE id BETWEEN 95 AND 305",
        ),
    ),
}
