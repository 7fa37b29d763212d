"""Tables that we make with each feature that we write, for others to read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from tests.interop.features.altered import ALTERED_TABLES
from tests.interop.features.altered import LIMITS as LIMITS_OF_ALTERED
from tests.interop.features.by_hand import age
from tests.interop.features.generated_here import GENERATED_TABLES
from tests.interop.features.generated_random import RANDOM_TABLES, TABLES
from tests.interop.features.mapping import SCENARIOS as MAPPED
from tests.interop.features.scenario import Scenario, one_file
from tests.interop.features.vectors import SCENARIOS as VECTORS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES = (
    "SELECT count(*), sum(id) FROM {t}",
    "SELECT id FROM {t} WHERE id = 3 OR s = 'row 5'",
    "SELECT id FROM {t} WHERE p = 'p/1' AND d > 2.0",
    "SELECT id FROM {t} WHERE n.x > DATE'2020-02-04'",
)


# Those of which the statements are ours to run.
WITH_OUR_VECTORS = (
    "vectors_in_rounds",
    "vectors_partitioned",
    "vectors_whole_file_deleted",
    "vectors_packed_in_one_file",
    "vectors_updated_and_merged",
    "vectors_with_classic_checkpoints",
    "vectors_with_v2_checkpoints",
    "vectors_with_change_data",
    "vectors_turned_on_later_and_off",
)

MORE_CHANGES = ("DELETE FROM {t} WHERE id % 9 = 5", "UPDATE {t} SET v = 'again' WHERE id % 8 = 1")


def _insert(n: int) -> str:
    return (
        f"INSERT INTO {{t}} VALUES ({n}, 'row {n}', {n}.5D, TIMESTAMP'2020-01-0{n + 1} 01:02:03',"
        f" named_struct('x', DATE'2020-02-0{n + 1}'), 'p/{n % 3}')"
    )


def _table(properties: str = "", interval: int = 3) -> tuple[str, ...]:
    return (
        (
            "CREATE TABLE {t} (id INT, s STRING, d DOUBLE, at TIMESTAMP, n STRUCT<x: DATE>,"
            " p STRING)"
            " USING delta PARTITIONED BY (p)"
            f" TBLPROPERTIES ({properties}'delta.checkpointInterval' = '{interval}')"
        ),
        *[_insert(n) for n in range(7)],
        (
            "INSERT OVERWRITE {t} PARTITION (p = 'p/0')"
            " SELECT 10, 'again', 0.5D, TIMESTAMP'2021-01-01 00:00:00', NULL"
        ),
        _insert(8),
    )


def _with(properties: str = "", *more: str, at: tuple[int, ...] = (2, 7)) -> Scenario:
    return Scenario(steps=(*_table(properties), *more), at=at, queries=QUERIES)


def _supported(*features: str) -> str:
    return "".join(f"'delta.feature.{feature}' = 'supported', " for feature in features)


def _write_transactions(spark: SparkSession, path: Path) -> None:
    for app, version in (("app-a", 1), ("app-b", 7), ("app-a", 2), ("app-a", 2)):
        frame = spark.range(version).selectExpr("INT(id) AS id", "'s' AS s")
        writer = frame.write.format("delta").option("txnAppId", app).mode("append")
        writer.option("txnVersion", version).option("userMetadata", f"{app} {version}").save(
            str(path)
        )


def _evolve(spark: SparkSession, path: Path) -> None:
    for select in ("1 AS id, named_struct('x', 1) AS s", "2 AS id, 'new' AS b", "3.5D AS id"):
        frame = spark.sql(f"SELECT {select}")
        writer = frame.write.format("delta").option("mergeSchema", "true").mode("append")
        if "3.5" in select:
            writer = writer.mode("overwrite").option("overwriteSchema", "true")
        writer.save(str(path))


def _append(spark: SparkSession, path: Path, *selects: str) -> None:
    for select in selects:
        frame = spark.sql(f"SELECT {select}")
        frame.write.format("delta").option("mergeSchema", "true").mode("append").save(str(path))


def _widen(spark: SparkSession, path: Path) -> None:
    nested = "named_struct('x', {0}) AS s, array({0}) AS l"
    _append(
        spark,
        path,
        f"1Y AS b, 1 AS id, 1.5F AS f, {nested.format(1)}",
        f"300S AS b, 3000000000 AS id, 2.1D AS f, {nested.format(3000000000)}",
    )


def _type_void(spark: SparkSession, path: Path) -> None:
    _append(
        spark,
        path,
        "1 AS id, NULL AS v, named_struct('x', 1, 'v', NULL) AS s",
        "2 AS id, 'x' AS v, named_struct('x', 2, 'v', 5) AS s",
    )


def _not_null(spark: SparkSession, path: Path) -> None:
    schema = StructType(
        [
            StructField("id", IntegerType(), nullable=False, metadata={"comment": "the key"}),
            StructField("s", StringType(), metadata={"own": 1}),
        ]
    )
    spark.createDataFrame([(1, "a"), (2, None)], schema).write.format("delta").save(str(path))


def _age(spark: SparkSession, path: Path) -> None:
    age(path, days=3)


OUR_TABLES: dict[str, Scenario] = {
    "checkpoints": _with(),
    "checkpoints_with_json_statistics": _with("'delta.checkpoint.writeStatsAsStruct' = 'false', "),
    "checkpoints_with_struct_statistics": _with("'delta.checkpoint.writeStatsAsJson' = 'false', "),
    "checkpoints_without_statistics": _with(
        "'delta.checkpoint.writeStatsAsJson' = 'false',"
        " 'delta.checkpoint.writeStatsAsStruct' = 'false', "
    ),
    "checkpoints_v2": _with("'delta.checkpointPolicy' = 'v2', "),
    "checkpoints_v2_later": _with(
        "",
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')",
        *[_insert(n) for n in range(4)],
        at=(7, 10),
    ),
    "timestamps_in_commits": _with("'delta.enableInCommitTimestamps' = 'true', "),
    "timestamps_in_commits_later": Scenario(
        steps=(
            *_table(),
            _age,
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
            *[_insert(n) for n in range(3)],
        ),
        at=(7, 10),
        queries=QUERIES,
    ),
    "row_tracking": _with("'delta.enableRowTracking' = 'true', "),
    "row_tracking_supported": _with(_supported("rowTracking")),
    "deletion_vectors_allowed": _with("'delta.enableDeletionVectors' = 'true', "),
    "type_widening_allowed": _with("'delta.enableTypeWidening' = 'true', "),
    "vacuum_protocol_check": _with(_supported("vacuumProtocolCheck")),
    "domain_metadata": _with(_supported("domainMetadata")),
    "append_only": Scenario(
        steps=(*_table("'delta.appendOnly' = 'true', ")[:5],), at=(2,), queries=QUERIES
    ),
    "many_properties": _with(
        "'delta.logRetentionDuration' = 'interval 60 days', 'delta.dataSkippingNumIndexedCols'='2',"
        " 'delta.deletedFileRetentionDuration' = 'interval 2 weeks', 'own.key' = 'ü \"quoted\"',"
        " 'delta.setTransactionRetentionDuration' = 'interval 30 days',"
        " 'delta.enableExpiredLogCleanup' = 'false', 'delta.randomPrefixLength' = '3',"
        " 'delta.dataSkippingStringPrefixLength' = '4', "
    ),
    "every_feature": _with(
        "'delta.enableInCommitTimestamps' = 'true', 'delta.checkpointPolicy' = 'v2',"
        " 'delta.enableDeletionVectors' = 'true', 'delta.enableTypeWidening' = 'true',"
        + _supported("vacuumProtocolCheck", "domainMetadata", "timestampNtz", "appendOnly"),
        "ALTER TABLE {t} SET TBLPROPERTIES ('own' = 'key')",
    ),
    "legacy_versions": Scenario(
        steps=(*_table("'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '6', ")[:4],),
        queries=QUERIES,
    ),
    "app_transactions": Scenario(steps=(_write_transactions,), at=(0, 1)),
    "evolved_schema": Scenario(steps=(_evolve,), at=(0, 1)),
    "void_typed_later": Scenario(
        steps=(_type_void,), queries=("SELECT id FROM {t} WHERE v IS NULL OR s.v = 5",)
    ),
    "widened_types": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (b TINYINT, id INT, f FLOAT, s STRUCT<x: INT>, l ARRAY<INT>)"
                " USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
            ),
            _widen,
        ),
        at=(1,),
        queries=("SELECT b, f FROM {t} WHERE id > 5", "SELECT b FROM {t} WHERE s.x = 1"),
    ),
    "column_defaults": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, s STRING DEFAULT 'none' COMMENT 'c',"
                " d DATE DEFAULT DATE'2020-01-01', n INT NOT NULL DEFAULT 40 + 2) USING delta"
                " TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
            ),
            "INSERT INTO {t} (id) VALUES (1)",
            "ALTER TABLE {t} ALTER COLUMN s SET DEFAULT 'other'",
            "INSERT INTO {t} (id) VALUES (2)",
            "ALTER TABLE {t} ALTER COLUMN d DROP DEFAULT",
            "INSERT INTO {t} VALUES (3, DEFAULT, NULL, DEFAULT)",
        ),
        at=(1, 3),
        queries=("SELECT id FROM {t} WHERE s = 'none' AND n = 42",),
    ),
    "not_null": Scenario(steps=(_not_null,)),
    "timestamp_ntz": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, at TIMESTAMP_NTZ, s STRUCT<x: TIMESTAMP_NTZ>,"
                " p TIMESTAMP_NTZ) USING delta PARTITIONED BY (p)"
                " TBLPROPERTIES ('delta.checkpointInterval' = '1')"
            ),
            one_file("""(1, TIMESTAMP_NTZ'2024-02-29 12:34:56.789012',
                named_struct('x', TIMESTAMP_NTZ'1900-01-01 00:00:00'),
                TIMESTAMP_NTZ'2020-01-02 03:04:05.000001'), (2, NULL, NULL, NULL)"""),
        ),
        queries=("SELECT id FROM {t} WHERE at > TIMESTAMP_NTZ'2024-02-29 12:34:56.789'",),
    ),
    "variant": Scenario(
        steps=(
            "CREATE TABLE {t} (id INT, v VARIANT, s STRUCT<x: VARIANT>) USING delta",
            """INSERT INTO {t} SELECT 1, parse_json('{"a": 1, "b": [true, null, "x"]}'),
               named_struct('x', parse_json('2.5'))""",
            "INSERT INTO {t} VALUES (2, NULL, NULL)",
        ),
        at=(1,),
        queries=("SELECT id, v:b[2]::string FROM {t}",),
    ),
    "mapping_evolved": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, s STRUCT<x: INT>, l ARRAY<INT>, v INT) USING delta"
                " CLUSTER BY (s.x) TBLPROPERTIES ('delta.columnMapping.mode' = 'id',"
                " 'delta.enableTypeWidening' = 'true', 'delta.checkpointInterval' = '2')"
            ),
            _widen,
        ),
        at=(1,),
        queries=("SELECT id FROM {t} WHERE s.x = 1", "SELECT f FROM {t} WHERE l[0] > 1"),
    ),
    **MAPPED,
    **{f"our_{name}": replace(VECTORS[name], goes_on=MORE_CHANGES) for name in WITH_OUR_VECTORS},
    "our_vectors_purged": replace(
        VECTORS["vectors_partitioned"],
        steps=(
            *VECTORS["vectors_partitioned"].steps,
            "REORG TABLE {t} WHERE p = 'p 1' APPLY (PURGE)",
            "REORG TABLE {t} APPLY (PURGE)",
            "DELETE FROM {t} WHERE id = 7",
        ),
        at=(6, 7, 8),
        goes_on=MORE_CHANGES,
    ),
    **ALTERED_TABLES,
    **GENERATED_TABLES,
    **RANDOM_TABLES,
}

# What a peer cannot read, whoever wrote it, and how it says so.
LIMITS = {
    ("deltalake", "type_widening_allowed"): "features required: .TypeWidening",
    ("deltalake", "widened_types"): "features required: .TypeWidening",
    ("deltalake", "vacuum_protocol_check"): "features required: .VacuumProtocolCheck",
    ("deltalake", "every_feature"): "features required: .*TypeWidening",
    ("duckdb", "variant"): "Unsupported Arrow type VARIANT",
    ("deltalake", "mapping_evolved"): "features required: .TypeWidening",
    ("deltalake", "mapping_id_unpartitioned"): "Cannot cast column",
    **LIMITS_OF_ALTERED,
}

# Partition columns that a peer shows as null, whoever wrote them.
LOST = {
    ("duckdb", "mapping_name_created"): ("p=q",),
    ("duckdb", "mapping_id_created"): ("p=q",),
    ("duckdb", "mapping_and_vectors"): ("the part",),
    ("duckdb", "generated_columns_of_a_feature"): ("year", "month"),
    **{("duckdb", name): one.partitions for name, one in TABLES.items() if one.mapping != "none"},
}
