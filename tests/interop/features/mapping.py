"""Column mapping: created with it, upgraded to it, renamed, dropped and added again under it."""

from __future__ import annotations

from tests.interop.features.scenario import Scenario, one_file

NESTED = """(id INT NOT NULL, `a b` STRING, s STRUCT<x: INT, `y,z`: STRING>,
    l ARRAY<STRUCT<e: INT, `f;g`: STRING>>, m MAP<STRING, STRUCT<v: INT>>, `p=q` STRING)"""
NESTED_ROWS = one_file("""
    (1, 'one', named_struct('x', 10, 'y,z', 'deep'), array(named_struct('e', 1, 'f;g', 'q')),
     map('k', named_struct('v', 5)), 'left/right'),
    (2, NULL, NULL, NULL, NULL, NULL),
    (3, 'three', named_struct('x', NULL, 'y,z', 'ü'), array(), map(), 'a b')""")
NESTED_QUERIES = (
    "SELECT id, `a b` FROM {t} WHERE `a b` = 'three'",
    "SELECT s.`y,z`, id FROM {t} WHERE s.x >= 10",
    "SELECT l.e, m['k'].v FROM {t} WHERE `p=q` = 'left/right'",
    "SELECT count(*) FROM {t} WHERE `p=q` IS NULL",
    "SELECT id FROM {t} WHERE `a b` IS NULL",
)
UPGRADE = "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
# Files of three ages: before the mapping, after a rename, after a name was dropped and came back.
RENAMED = (
    (
        "CREATE TABLE {t} (id INT, a STRING, b INT, s STRUCT<x: INT, y: STRING>, p STRING)"
        " USING delta PARTITIONED BY (p)"
    ),
    one_file("(1, 'a1', 10, named_struct('x', 1, 'y', 'y1'), 'p1')"),
    UPGRADE,
    one_file("(2, 'a2', 20, named_struct('x', 2, 'y', 'y2'), 'p2')"),
    "ALTER TABLE {t} RENAME COLUMN a TO `alpha beta`",
    one_file("(3, 'a3', 30, named_struct('x', 3, 'y', 'y3'), 'p1')"),
    "ALTER TABLE {t} DROP COLUMN b",
    one_file("(4, 'a4', named_struct('x', 4, 'y', 'y4'), 'p2')"),
    "ALTER TABLE {t} ADD COLUMN b STRING AFTER id",
    one_file("(5, 'new b', 'a5', named_struct('x', 5, 'y', 'y5'), 'p3')"),
    "ALTER TABLE {t} RENAME COLUMN s.x TO `x.x`",
    "ALTER TABLE {t} RENAME COLUMN p TO `part {1}`",
    one_file("(6, 'b6', 'a6', named_struct('x.x', 6, 'y', 'y6'), 'p1')"),
    "ALTER TABLE {t} ADD COLUMN s.z DOUBLE FIRST",
    "ALTER TABLE {t} DROP COLUMN s.y",
    one_file("(7, 'b7', 'a7', named_struct('z', 7.5D, 'x.x', 7), NULL)"),
)
SWAPPED = (
    "CREATE TABLE {t} (a INT, b INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode'='name')",
    one_file("(1, 2), (3, 4)"),
    "ALTER TABLE {t} RENAME COLUMN a TO c",
    "ALTER TABLE {t} RENAME COLUMN b TO a",
    "ALTER TABLE {t} RENAME COLUMN c TO b",
    "ALTER TABLE {t} ALTER COLUMN a FIRST",
    one_file("(20, 10)"),
)


def _created(mode: str, partitioned: bool = True) -> tuple[str, ...]:
    partitioning = "PARTITIONED BY (`p=q`)" if partitioned else ""
    properties = f"TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}')"
    return (
        f"CREATE TABLE {{t}} {NESTED} USING delta {partitioning} {properties}",
        NESTED_ROWS,
        "INSERT INTO {t} (id, `p=q`) VALUES (4, 'left/right')",
    )


SCENARIOS: dict[str, Scenario] = {
    "mapping_name_created": Scenario(steps=_created("name"), at=(1,), queries=NESTED_QUERIES),
    "mapping_id_created": Scenario(steps=_created("id"), at=(1,), queries=NESTED_QUERIES),
    "mapping_id_unpartitioned": Scenario(
        steps=(
            *_created("id", partitioned=False),
            "ALTER TABLE {t} RENAME COLUMN s.`y,z` TO yz",
            "ALTER TABLE {t} RENAME COLUMN l.element.`f;g` TO e2",
            "ALTER TABLE {t} DROP COLUMN l.element.e",
            "ALTER TABLE {t} RENAME COLUMN l.element.e2 TO e",
            "ALTER TABLE {t} ADD COLUMN m.value.w STRING",
            (
                "INSERT INTO {t} (id, l, m) VALUES"
                " (5, array(named_struct('e', 'new')), map('k', named_struct('v', 1, 'w', 'ww')))"
            ),
        ),
        at=(2, 5),
        queries=("SELECT s.yz, l.e, m FROM {t} WHERE s.yz > 'a'",),
    ),
    "mapping_upgraded": Scenario(
        steps=RENAMED,
        at=(1, 3, 5, 7, 9, 12),
        queries=(
            "SELECT id FROM {t} WHERE b = 'new b'",
            "SELECT id, b FROM {t} WHERE b IS NULL",
            "SELECT id FROM {t} WHERE `alpha beta` >= 'a4'",
            "SELECT `part {1}`, count(*) FROM {t} GROUP BY 1",
            "SELECT id FROM {t} WHERE `part {1}` = 'p1' AND s.`x.x` < 4",
            "SELECT s.z FROM {t} WHERE s.z > 1",
        ),
    ),
    "mapping_swapped_names": Scenario(
        steps=SWAPPED,
        at=(1, 2),
        queries=("SELECT a FROM {t} WHERE b = 1", "SELECT * FROM {t} WHERE a > 3"),
    ),
    "mapping_with_checkpoints": Scenario(
        steps=(
            *RENAMED,
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointInterval' = '2')",
            *[f"INSERT INTO {{t}} (id, b, `part {{1}}`) VALUES ({n}, 'c', 'p4')" for n in (8, 9)],
            "INSERT OVERWRITE {t} PARTITION (`part {1}` = 'p4') (id, b) VALUES (80, 'again')",
        ),
        queries=("SELECT id FROM {t} WHERE `part {1}` = 'p4'",),
    ),
    "mapping_removed": Scenario(
        steps=(
            *SWAPPED,
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')",
            one_file("(200, 100)"),
        ),
        at=(1, 6),
        queries=("SELECT a FROM {t} WHERE b > 2",),
    ),
    "mapping_overwritten_schema": Scenario(
        steps=(
            *_created("id", partitioned=False)[:2],
            lambda spark, path: (
                spark.sql("SELECT 9 AS id, 'x' AS `a b`, 2.5D AS fresh")
                .write.format("delta")
                .mode("overwrite")
                .option("overwriteSchema", "true")
                .save(str(path))
            ),
        ),
        at=(1,),
        queries=("SELECT fresh FROM {t} WHERE `a b` = 'x'",),
    ),
    "mapping_and_vectors": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, v STRING, p INT) USING delta PARTITIONED BY (p)"
                " TBLPROPERTIES ('delta.columnMapping.mode' = 'id',"
                " 'delta.enableDeletionVectors' = 'true')"
            ),
            (
                "INSERT INTO {t} SELECT /*+ COALESCE(1) */"
                " INT(id), CONCAT('v', id), INT(id % 3) FROM RANGE(60)"
            ),
            "DELETE FROM {t} WHERE id % 4 = 0",
            "ALTER TABLE {t} RENAME COLUMN v TO `the value`",
            "UPDATE {t} SET `the value` = 'updated' WHERE id % 10 = 1",
            "ALTER TABLE {t} RENAME COLUMN p TO `the part`",
            "DELETE FROM {t} WHERE `the part` = 1 AND id > 30",
        ),
        at=(1, 2, 4),
        queries=("SELECT id FROM {t} WHERE `the value` = 'updated' AND `the part` = 2",),
    ),
}
