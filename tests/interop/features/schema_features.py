"""Features that live in the schema: types, constraints, defaults, evolution."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from tests.interop.features.scenario import Scenario, one_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _table_with_invariant(spark: SparkSession, path: Path) -> None:
    rule = json.dumps({"expression": {"expression": "n > 0"}})
    schema = StructType(
        [
            StructField("id", IntegerType(), nullable=False),
            StructField("n", IntegerType(), metadata={"delta.invariants": rule}),
            StructField("s", StringType()),
        ]
    )
    rows = spark.createDataFrame([(1, 5, "a"), (2, 6, None)], schema)
    rows.write.format("delta").save(str(path))


def _evolve(*selects: str) -> object:
    def run(spark: SparkSession, path: Path) -> None:
        for select in selects:
            frame = spark.sql(f"SELECT {select}").coalesce(1)
            writer = frame.write.format("delta").mode("append").option("mergeSchema", "true")
            writer.save(str(path))

    return run


_VARIANTS = """INSERT INTO {{t}}
SELECT id, v, named_struct('x', v), array(v, parse_json('"s"')) FROM (SELECT CAST(id AS INT) id,
parse_json(concat('{{"a":', id, ',"b":{{"c":[1,"', id, '"],"d":', id, '.5}}}}')) v FROM {rows})"""

SCENARIOS: dict[str, Scenario] = {
    "timestamp_ntz": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, at TIMESTAMP_NTZ, s STRUCT<x: TIMESTAMP_NTZ>,"
                " p TIMESTAMP_NTZ) USING delta PARTITIONED BY (p)"
            ),
            one_file("""(1, TIMESTAMP_NTZ'2024-02-29 12:34:56.789012',
                named_struct('x', TIMESTAMP_NTZ'1900-01-01 00:00:00'),
                TIMESTAMP_NTZ'2020-01-02 03:04:05.000001'), (2, NULL, NULL, NULL)"""),
        ),
        queries=(
            "SELECT id FROM {t} WHERE at > TIMESTAMP_NTZ'2024-02-29 12:34:56.789'",
            "SELECT id FROM {t} WHERE p = TIMESTAMP_NTZ'2020-01-02 03:04:05.000001'",
        ),
    ),
    "timestamp_ntz_later": Scenario(
        steps=(
            "CREATE TABLE {t} (id INT) USING delta",
            one_file("(1)"),
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.feature.timestampNtz' = 'supported')",
            "ALTER TABLE {t} ADD COLUMN at TIMESTAMP_NTZ",
            one_file("(2, TIMESTAMP_NTZ'2024-02-29 12:34:56.789012')"),
        ),
        at=(1, 3),
    ),
    "variant": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, v VARIANT, s STRUCT<x: VARIANT>, l ARRAY<VARIANT>)"
                " USING delta"
            ),
            """INSERT INTO {t} SELECT 1, parse_json('{"a": 1, "b": [true, null, "x"]}'),
               named_struct('x', parse_json('2.5')), array(parse_json('"s"'), NULL)""",
            "INSERT INTO {t} VALUES (2, NULL, NULL, NULL)",
        ),
        at=(1,),
        queries=("SELECT id, v:b[2]::string FROM {t}", "SELECT id FROM {t} WHERE v IS NULL"),
    ),
    "variant_shredded": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, v VARIANT, s STRUCT<x: VARIANT>, l ARRAY<VARIANT>)"
                " USING delta TBLPROPERTIES ('delta.enableVariantShredding' = 'true',"
                " 'delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name')"
            ),
            _VARIANTS.format(rows="range(0, 4, 1, 1)"),
            """INSERT INTO {t} VALUES (10, parse_json('{"a": "text", "z": [1]}'),
               named_struct('x', parse_json('null')), array()), (11, NULL, NULL, NULL)""",
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableVariantShredding' = 'false')",
            _VARIANTS.format(rows="range(20, 22)"),
            "DELETE FROM {t} WHERE id = 2",
            "ALTER TABLE {t} RENAME COLUMN v TO w",
        ),
        at=(1, 4),
        queries=("SELECT id, try_variant_get(s.x, '$.b.c[1]', 'string') FROM {t}",),
    ),
    "invariants": Scenario(
        steps=(_table_with_invariant, "INSERT INTO {t} VALUES (3, 7, 'c')"),
        at=(0,),
        queries=("SELECT id FROM {t} WHERE n > 5",),
    ),
    "check_constraints": Scenario(
        steps=(
            "CREATE TABLE {t} (id INT, s STRING) USING delta",
            one_file("(1, 'a')"),
            "ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id > 0)",
            "ALTER TABLE {t} ADD CONSTRAINT `short s` CHECK (length(s) < 5 OR s IS NULL)",
            one_file("(2, 'b'), (3, NULL)"),
            "ALTER TABLE {t} DROP CONSTRAINT positive",
        ),
        at=(1, 4),
    ),
    "column_defaults": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT, s STRING DEFAULT 'none', d DATE DEFAULT DATE'2020-01-01'"
                ") USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
            ),
            "INSERT INTO {t} (id) VALUES (1)",
            "ALTER TABLE {t} ALTER COLUMN s SET DEFAULT 'other'",
            "INSERT INTO {t} (id) VALUES (2)",
            "ALTER TABLE {t} ALTER COLUMN d DROP DEFAULT",
            "INSERT INTO {t} VALUES (3, DEFAULT, NULL)",
        ),
        at=(1, 3),
    ),
    "void_columns": Scenario(
        steps=(
            "CREATE TABLE {t} USING delta AS SELECT 1 AS id, NULL AS nothing, 'x' AS s",
            "INSERT INTO {t} VALUES (2, NULL, 'y')",
        ),
        at=(0,),
        queries=("SELECT id, s FROM {t} WHERE s = 'y'", "SELECT nothing FROM {t}"),
    ),
    "evolved_schema": Scenario(
        steps=(
            _evolve(
                "1 AS id, named_struct('x', 1) AS s, array(named_struct('e', 1)) AS l",
                "2 AS id, 'new' AS b",
                "3 AS id, named_struct('x', 3, 'y', named_struct('z', 'deep')) AS s",
                "4 AS id, array(named_struct('e', 4, 'f', 'ff')) AS l,"
                " map('k', named_struct('v', 1)) AS m",
                "5 AS id, named_struct('y', named_struct('z', 'z5', 'w', 5.5D)) AS s,"
                " map('k', named_struct('v', 1, 'u', DATE'2020-01-01')) AS m",
            ),
        ),
        at=(0, 2, 3),
        queries=(
            "SELECT id, s.y.z FROM {t} WHERE s.y.z IS NULL",
            "SELECT id FROM {t} WHERE b = 'new'",
            "SELECT id, l.f, m['k'].u FROM {t}",
            "SELECT id FROM {t} WHERE s.x = 3",
            "SELECT s.y.w FROM {t} WHERE s.y.w > 5",
        ),
    ),
    "altered_columns": Scenario(
        steps=(
            (
                "CREATE TABLE {t} (id INT NOT NULL, a STRING COMMENT 'first', s STRUCT<x: INT>,"
                " c CHAR(4), v VARCHAR(5)) USING delta COMMENT 'the table'"
            ),
            "INSERT INTO {t} VALUES (1, 'a', named_struct('x', 1), 'cc', 'vv')",
            "ALTER TABLE {t} ADD COLUMNS (b INT COMMENT 'later' FIRST, z DATE AFTER a, s.y STRING)",
            (
                "INSERT INTO {t} VALUES (20, 2, 'b', DATE'2020-01-01', named_struct('x', 2, 'y',"
                " 'y2'), 'dd', 'ww')"
            ),
            "ALTER TABLE {t} ALTER COLUMN id DROP NOT NULL",
            "ALTER TABLE {t} ALTER COLUMN a COMMENT 'changed'",
            "ALTER TABLE {t} ALTER COLUMN b AFTER id",
            "ALTER TABLE {t} ALTER COLUMN v TYPE VARCHAR(20)",
            "INSERT INTO {t} (id, v) VALUES (NULL, 'longer than five')",
        ),
        at=(1, 3),
        queries=("SELECT id FROM {t} WHERE b IS NULL", "SELECT id FROM {t} WHERE c = 'cc'"),
    ),
}
