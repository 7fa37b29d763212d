"""Features of the table: rows tracked, clustered, protected, compatible with Iceberg, changed."""

from __future__ import annotations

from tests.interop.features.scenario import Scenario, one_file

VECTORS = "'delta.enableDeletionVectors' = 'true'"
ROWS = ("id INT, v STRING, p INT", "(1, 'a', 1), (2, 'b', 2), (3, 'c', 1), (4, 'd', NULL)")
COUNT = ("SELECT count(*), sum(id) FROM {t}", "SELECT id FROM {t} WHERE p = 1 AND v > 'a'")
CHANGES = (
    "UPDATE {t} SET v = CONCAT(v, '!') WHERE id = 2",
    "DELETE FROM {t} WHERE id = 3",
    (
        "MERGE INTO {t} AS t USING (SELECT * FROM VALUES (1, 'm', 1), (9, 'n', 2) AS x (id, v, p))"
        " AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ),
)


def _table(properties: str, how: str = "PARTITIONED BY (p)") -> tuple[str, str]:
    return (
        f"CREATE TABLE {{t}} ({ROWS[0]}) USING delta {how} TBLPROPERTIES ({properties})",
        one_file(ROWS[1]),
    )


def _with(properties: str, *more: str, at: tuple[int, ...] = ()) -> Scenario:
    return Scenario(steps=(*_table(properties), *more), at=at, queries=COUNT)


def _iceberg(version: int) -> str:
    return f"'delta.enableIcebergCompatV{version}'='true', 'delta.columnMapping.mode' = 'name'"


SCENARIOS: dict[str, Scenario] = {
    "vacuum_protocol_check": _with(
        "'delta.feature.vacuumProtocolCheck' = 'supported'", one_file("(5, 'e', 3)"), at=(1,)
    ),
    "append_only": _with("'delta.appendOnly' = 'true'", one_file("(5, 'e', 3)"), at=(1,)),
    "row_tracking": _with("'delta.enableRowTracking' = 'true'", *CHANGES, at=(1, 3)),
    "row_tracking_later": _with(
        f"'x' = 'y', {VECTORS}",
        one_file("(5, 'e', 3)"),
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        *CHANGES,
        "OPTIMIZE {t}",
        at=(1, 2, 4),
    ),
    "change_data": _with("'delta.enableChangeDataFeed' = 'true'", *CHANGES, at=(1, 3)),
    "changed_without_vectors": _with(
        "'delta.enableDeletionVectors' = 'false'",
        *CHANGES,
        "OPTIMIZE {t} ZORDER BY (id)",
        at=(2, 4),
    ),
    "clustered": Scenario(
        steps=(
            *_table("'a.b' = 'c'", "CLUSTER BY (id, v)"),
            one_file("(5, 'e', 3)"),
            "OPTIMIZE {t}",
            "ALTER TABLE {t} CLUSTER BY (p)",
            one_file("(6, 'f', 3)"),
            "ALTER TABLE {t} CLUSTER BY NONE",
        ),
        at=(1, 3, 5),
        queries=COUNT,
    ),
    "clustered_and_mapped": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, s STRUCT<`a.b`: INT, c: STRING>) USING delta"
                " CLUSTER BY (s.`a.b`, id) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
            ),
            one_file("(1, named_struct('a.b', 1, 'c', 'x')), (2, NULL)"),
            "ALTER TABLE {t} RENAME COLUMN id TO `the id`",
            "OPTIMIZE {t}",
        ),
        at=(1,),
        queries=("SELECT `the id` FROM {t} WHERE s.`a.b` = 1",),
    ),
    "iceberg_compat_v1": _with(
        f"{_iceberg(1)}, 'delta.enableDeletionVectors' = 'false'", *CHANGES, at=(1, 2)
    ),
    "iceberg_compat_v2": _with(
        f"{_iceberg(2)}, 'delta.enableDeletionVectors' = 'false'", *CHANGES, at=(1, 2)
    ),
    "materialized_partition_columns": _with(
        "'delta.enableMaterializePartitionColumnsFeature' = 'true'", *CHANGES, at=(1,)
    ),
    "dropped_vectors": _with(
        VECTORS, *CHANGES, "ALTER TABLE {t} DROP FEATURE deletionVectors", CHANGES[0], at=(1, 3, 4)
    ),
    "dropped_row_tracking": _with(
        "'delta.enableRowTracking' = 'true'",
        CHANGES[0],
        "ALTER TABLE {t} DROP FEATURE rowTracking",
        CHANGES[1],
        at=(1, 2),
    ),
    "dropped_v2_checkpoints": _with(
        "'delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2'",
        *CHANGES,
        "ALTER TABLE {t} DROP FEATURE v2Checkpoint",
        CHANGES[0],
        at=(1, 3),
    ),
    "many_features": _with(
        f"{VECTORS}, 'delta.columnMapping.mode' = 'name', 'delta.enableRowTracking' = 'true',"
        " 'delta.enableChangeDataFeed' = 'true', 'delta.enableInCommitTimestamps' = 'true',"
        " 'delta.enableTypeWidening' = 'true', 'delta.checkpointPolicy' = 'v2',"
        " 'delta.checkpointInterval' = '2', 'delta.feature.vacuumProtocolCheck' = 'supported'",
        "ALTER TABLE {t} RENAME COLUMN v TO w",
        "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT",
        "DELETE FROM {t} WHERE w = 'b'",
        "ALTER TABLE {t} RENAME COLUMN w TO v",
        "UPDATE {t} SET v = 'up' WHERE id = 1",
        one_file("(5000000000L, 'wide', 7)"),
        at=(1, 3, 5),
    ),
    "restored_and_replaced": _with(
        "'delta.enableDeletionVectors' = 'false'",
        "CREATE OR REPLACE TABLE {t} USING delta AS SELECT 'x' AS name, 2.5D AS n",
        "RESTORE TABLE {t} TO VERSION AS OF 1",
        one_file("(5, 'e', 3)"),
        at=(1, 2, 3),
    ),
    "vacuumed": _with(VECTORS, *CHANGES, "OPTIMIZE {t}", "VACUUM {t}", at=(4,)),
}
