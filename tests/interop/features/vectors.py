"""Deletion vectors: on disk, packed, inline, absolute; in rounds, updated, merged, restored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.interop.features.by_hand import forget, rewrite_commit, z85
from tests.interop.features.scenario import Scenario

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROPERTY = "'delta.enableDeletionVectors' = 'true'"
QUERIES = (
    "SELECT count(*), min(id), max(id), sum(id) FROM {t}",
    "SELECT id FROM {t} WHERE id < 12",
    "SELECT count(*) FROM {t} WHERE v = 'v3'",
)


def _table(partitioned: str = "", properties: str = PROPERTY) -> str:
    return (
        f"CREATE TABLE {{t}} (id INT, v STRING, p STRING) USING delta {partitioned}"
        f" TBLPROPERTIES ({properties})"
    )


def _rows(start: int, end: int, files: int = 1) -> str:
    # REPARTITION_BY_RANGE gives each file ids of its own, so that its vector is known.
    return (
        f"INSERT INTO {{t}} SELECT /*+ REPARTITION_BY_RANGE({files}, id) */ INT(id) AS id,"
        f" CONCAT('v', id % 7) AS v, CONCAT('p ', id % 3) AS p FROM RANGE({start}, {end})"
    )


ROUNDS = (
    _rows(0, 100),
    "DELETE FROM {t} WHERE id % 10 = 3",
    "DELETE FROM {t} WHERE id BETWEEN 40 AND 49",
    _rows(100, 130),
    "UPDATE {t} SET v = 'changed' WHERE id % 25 = 1",
    "DELETE FROM {t} WHERE v = 'v2'",
)
MERGE = """MERGE INTO {t} AS t USING (SELECT INT(id) AS id FROM RANGE(95, 140)) s ON t.id = s.id
    WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'merged'
    WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, 'inserted', 'p 9')"""


def _write_with_small_row_groups(spark: SparkSession, path: Path) -> None:
    frame = spark.range(0, 60_000).selectExpr(
        "INT(id) AS id", "CONCAT('v', id % 7) AS v", "uuid() AS u"
    )
    writer = frame.coalesce(1).write.format("delta").option("parquet.block.size", 64 * 1024)
    writer.option("delta.enableDeletionVectors", "true").save(str(path))


def make_inline(spark: SparkSession, path: Path) -> None:
    """Put the vectors of the latest commit into the log itself, which delta-spark never does."""

    def inline(action: dict[str, Any]) -> None:
        vector = action.get("add", {}).get("deletionVector")
        if vector is None:
            return
        (file,) = path.glob("deletion_vector_*.bin")
        start = vector.pop("offset") + 4
        data = file.read_bytes()[start : start + vector["sizeInBytes"]]
        vector |= {"storageType": "i", "pathOrInlineDv": z85(data)}

    rewrite_commit(path, inline)
    for file in path.glob("deletion_vector_*.bin"):
        file.unlink()
    forget(spark, path)


def _make_absolute(spark: SparkSession, path: Path) -> None:
    """Give data files and vectors of the latest commit their full paths."""

    def absolute(action: dict[str, Any]) -> None:
        vector = action.get("add", {}).get("deletionVector")
        if vector is not None and vector["storageType"] == "u":
            (file,) = path.glob("deletion_vector_*.bin")
            vector |= {"storageType": "p", "pathOrInlineDv": file.as_uri()}

    rewrite_commit(path, absolute)
    forget(spark, path)


def _vector_kinds(path: Path) -> set[str]:
    """The storage types of the vectors that the log names."""
    lines = [line for f in path.glob("_delta_log/*.json") for line in f.read_text().splitlines()]
    adds = [json.loads(line).get("add", {}) for line in lines]
    return {add["deletionVector"]["storageType"] for add in adds if add.get("deletionVector")}


SCENARIOS: dict[str, Scenario] = {
    "vectors_in_rounds": Scenario(steps=(_table(), *ROUNDS), at=(1, 2, 3, 5), queries=QUERIES),
    "vectors_partitioned": Scenario(
        steps=(_table("PARTITIONED BY (p)"), *ROUNDS),
        at=(1, 2, 3),
        queries=(*QUERIES, "SELECT p, count(*), sum(id) FROM {t} GROUP BY p"),
    ),
    "vectors_whole_file_deleted": Scenario(
        steps=(
            _table(),
            _rows(0, 40, files=4),
            "DELETE FROM {t} WHERE id % 2 = 0",
            "DELETE FROM {t} WHERE id < 11",
        ),
        at=(1, 2),
        queries=QUERIES,
    ),
    "vectors_packed_in_one_file": Scenario(
        steps=(_table(), _rows(0, 200, files=20), "DELETE FROM {t} WHERE id % 3 = 0"),
        queries=QUERIES,
    ),
    "vectors_updated_and_merged": Scenario(
        steps=(_table(), *ROUNDS[:4], MERGE, "UPDATE {t} SET id = id + 1000 WHERE v = 'v3'"),
        at=(4, 5),
        queries=QUERIES,
    ),
    "vectors_restored": Scenario(
        steps=(_table(), *ROUNDS[:3], "RESTORE TABLE {t} TO VERSION AS OF 2", *ROUNDS[3:4]),
        at=(2, 3, 4),
        queries=QUERIES,
    ),
    "vectors_optimized_and_purged": Scenario(
        steps=(_table(), *ROUNDS, "OPTIMIZE {t}", ROUNDS[1], "REORG TABLE {t} APPLY (PURGE)"),
        at=(6, 7),
        queries=QUERIES,
    ),
    "vectors_with_classic_checkpoints": Scenario(
        steps=(_table("", f"{PROPERTY}, 'delta.checkpointInterval' = '2'"), *ROUNDS),
        at=(3,),
        queries=QUERIES,
    ),
    "vectors_with_v2_checkpoints": Scenario(
        steps=(
            _table("", f"{PROPERTY}, 'delta.checkpointInterval'='2','delta.checkpointPolicy'='v2'"),
            *ROUNDS,
        ),
        queries=QUERIES,
    ),
    "vectors_with_change_data": Scenario(
        steps=(
            _table("PARTITIONED BY (p)", f"{PROPERTY}, 'delta.enableChangeDataFeed'='true'"),
            *ROUNDS,
            MERGE,
        ),
        at=(2,),
        queries=QUERIES,
    ),
    "vectors_in_random_folders": Scenario(
        steps=(_table("", f"{PROPERTY}, 'delta.randomizeFilePrefixes' = 'true'"), *ROUNDS[:3]),
        queries=QUERIES,
    ),
    "vectors_turned_on_later_and_off": Scenario(
        steps=(
            _table(properties="'delta.enableDeletionVectors' = 'false'"),
            *ROUNDS[:2],
            f"ALTER TABLE {{t}} SET TBLPROPERTIES ({PROPERTY})",
            ROUNDS[2],
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')",
            ROUNDS[4],
        ),
        at=(2, 4),
        queries=QUERIES,
    ),
    "vectors_inline": Scenario(
        steps=(
            _table(),
            _rows(0, 20),
            "DELETE FROM {t} WHERE id IN (3, 4, 7, 11, 18)",
            make_inline,
        ),
        at=(1,),
        queries=QUERIES,
    ),
    "vectors_absolute": Scenario(
        steps=(_table(), _rows(0, 20), "DELETE FROM {t} WHERE id IN (3, 4, 7)", _make_absolute),
        queries=QUERIES,
    ),
    "vectors_of_a_shallow_clone": Scenario(
        steps=(
            *[s.replace("{t}", "{other}") for s in (_table("PARTITIONED BY (p)"), *ROUNDS[:3])],
            "CREATE TABLE {t} SHALLOW CLONE {other}",
            "DELETE FROM {t} WHERE id % 10 = 4",
            _rows(500, 510),
        ),
        at=(0, 1),
        queries=QUERIES,
    ),
    "vectors_over_row_groups": Scenario(
        steps=(
            _write_with_small_row_groups,
            "DELETE FROM {t} WHERE id % 1000 < 3 OR id BETWEEN 20000 AND 45000",
        ),
        queries=(*QUERIES, "SELECT id FROM {t} WHERE id BETWEEN 19990 AND 45010"),
    ),
}
