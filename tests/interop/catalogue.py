"""The tables of the interop tests, as the statements that make them on either side.

`{t}` stands for the table. A statement that inserts says COALESCE(1) where the statistics of its
one file are compared.
"""

from __future__ import annotations

COLUMNS = """b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f FLOAT, d DOUBLE,
    dec DECIMAL(10,2), big DECIMAL(38,18), s STRING, bin BINARY, day DATE, at TIMESTAMP"""
ORDINARY = """(true, 1Y, 2S, 3, 4L, 1.5F, 2.25D, 12.30BD, 1234567890.123456789012345678BD, 'text',
    X'00FF10', DATE'2024-02-29', TIMESTAMP'2024-02-29 12:34:56.789012')"""
SMALLEST = """(false, -128Y, -32768S, -2147483648, -9223372036854775808L, -1.5F, -2.25D,
    -99999999.99BD, -99999999999999999999.999999999999999999BD, '', X'', DATE'1900-01-01',
    TIMESTAMP'1900-01-01 00:00:00')"""
LARGEST = """(true, 127Y, 32767S, 2147483647, 9223372036854775807L, 3.0E38F, 1.5E300D,
    99999999.99BD, 99999999999999999999.999999999999999999BD, 'zoë 😀 日本 \\n"', X'FFFFFF',
    DATE'2200-12-31', TIMESTAMP'2200-12-30 23:59:59.999999')"""
NOTHING = "(" + ", ".join(["NULL"] * 13) + ")"

AWKWARD = (
    *("a b", "a/b", "a=b", "a%20b", "a%", "a:b", "a?b", "a#b", "a+b", "a&b", "[x]", "{x}"),
    *("a\\\\b", "a\\'b", 'a"b', "ü", "日本", "😀", ".", "-", "*", "~", "|", "^", "a,b"),
    *(" lead", "trail ", "007"),
)
PARTITION_TYPES = {
    "boolean": ("BOOLEAN", "true", "false"),
    "byte": ("TINYINT", "1Y", "-128Y"),
    "short": ("SMALLINT", "2S", "-1S"),
    "int": ("INT", "3", "-2147483648"),
    "long": ("BIGINT", "4L", "9223372036854775807L"),
    "float": ("FLOAT", "1.5F", "-0.25F"),
    "double": ("DOUBLE", "0.1D", "1.0E-20D"),
    "decimal": ("DECIMAL(10,2)", "1.50BD", "-0.01BD"),
    "string": ("STRING", "'x'", "'NULL'"),
    "date": ("DATE", "DATE'2020-01-02'", "DATE'1900-01-01'"),
    "timestamp": (
        "TIMESTAMP",
        "TIMESTAMP'2020-01-02 03:04:05'",
        "TIMESTAMP'2020-01-02 03:04:05.000001'",
    ),
    "timestamp_ntz": (
        "TIMESTAMP_NTZ",
        "TIMESTAMP_NTZ'2020-01-02 03:04:05'",
        "TIMESTAMP_NTZ'2020-01-02 03:04:05.5'",
    ),
}


def _one_file(rows: str) -> str:
    return f"INSERT INTO {{t}} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}"


TABLES: dict[str, list[str]] = {
    "all_types": [
        f"CREATE TABLE {{t}} ({COLUMNS}) USING delta",
        f"INSERT INTO {{t}} VALUES {ORDINARY}",
        f"INSERT INTO {{t}} VALUES {SMALLEST}",
        f"INSERT INTO {{t}} VALUES {LARGEST}",
        f"INSERT INTO {{t}} VALUES {NOTHING}",
        _one_file(f"{ORDINARY}, {SMALLEST}, {LARGEST}, {NOTHING}"),
    ],
    "special_floats": [
        "CREATE TABLE {t} (f FLOAT, d DOUBLE) USING delta",
        _one_file("(float('NaN'), double('NaN'))"),
        _one_file("(float('Infinity'), double('-Infinity')), (1.0F, 2.0D)"),
        _one_file("(0.0F, -0.0D)"),
        _one_file("(1.5F, NULL), (NULL, 2.5D), (float('NaN'), 1.0D)"),
    ],
    "timestamps_without_zone": [
        "CREATE TABLE {t} (id INT, ntz TIMESTAMP_NTZ) USING delta",
        _one_file("(1, TIMESTAMP_NTZ'2024-02-29 12:34:56.789012'), (2, NULL)"),
    ],
    "long_texts": [
        "CREATE TABLE {t} (s STRING) USING delta",
        _one_file("(repeat('a', 100)), (repeat('b', 31)), ('c')"),
        _one_file("(repeat('é', 100)), (repeat('😀', 40))"),
        _one_file("(concat(repeat('x', 31), '😀', 'y'))"),
        _one_file("(repeat('z', 32)), (NULL)"),
    ],
    "nested": [
        """CREATE TABLE {t} (id INT, s STRUCT<a: INT, b: STRUCT<c: DATE, d: ARRAY<STRING>>>,
           l ARRAY<ARRAY<INT>>, m MAP<STRING, STRUCT<x: DECIMAL(5,1)>>) USING delta""",
        _one_file("""(1, named_struct('a', 1, 'b', named_struct('c', DATE'2020-01-01',
           'd', array('x', NULL))), array(array(1, NULL), array()),
           map('ä', named_struct('x', 1.5BD))), (2, NULL, NULL, NULL),
           (3, named_struct('a', 7, 'b', NULL), array(), map())"""),
    ],
    "not_null": [
        "CREATE TABLE {t} (id INT NOT NULL, s STRING NOT NULL COMMENT 'words') USING delta",
        _one_file("(1, 'a'), (2, 'b')"),
    ],
    "odd_column_names": [
        "CREATE TABLE {t} (`a.b` INT, `größe` STRING, `x-y` INT, `1st` INT) USING delta",
        _one_file("(1, 'weiß', 2, 3)"),
    ],
    "awkward_partitions": [
        "CREATE TABLE {t} (id INT, p STRING) USING delta PARTITIONED BY (p)",
        "INSERT INTO {t} VALUES "
        + ", ".join(f"({n}, '{text}')" for n, text in enumerate(AWKWARD))
        + ", (100, NULL)",
    ],
    "two_partition_columns": [
        "CREATE TABLE {t} (b STRING, id INT, a INT, v STRING) USING delta PARTITIONED BY (a, b)",
        "INSERT INTO {t} VALUES ('x', 1, 10, 'v1'), ('y', 2, NULL, 'v2'), (NULL, 3, 20, 'v3')",
    ],
    **{
        f"partitioned_by_{name}": [
            f"CREATE TABLE {{t}} (id INT, p {kind}) USING delta PARTITIONED BY (p)",
            f"INSERT INTO {{t}} VALUES (1, {first}), (2, {second}), (3, NULL)",
        ]
        for name, (kind, first, second) in PARTITION_TYPES.items()
    },
    "appended_and_overwritten": [
        "CREATE TABLE {t} (id INT, p INT) USING delta PARTITIONED BY (p)",
        "INSERT INTO {t} VALUES (1, 1), (2, 2)",
        "INSERT INTO {t} VALUES (3, 1), (4, 3)",
        "INSERT OVERWRITE {t} PARTITION (p = 1) VALUES (10)",
    ],
    "replaced_by_another_schema": [
        "CREATE TABLE {t} USING delta PARTITIONED BY (p) AS SELECT 1 AS id, 2 AS p",
        "CREATE OR REPLACE TABLE {t} USING delta AS SELECT 'x' AS name, 2.5D AS n",
        "INSERT INTO {t} VALUES ('y', NULL)",
    ],
    "with_a_checkpoint": [
        """CREATE TABLE {t} (id INT, p STRING) USING delta PARTITIONED BY (p)
           TBLPROPERTIES ('delta.checkpointInterval' = '3')""",
        *[f"INSERT INTO {{t}} VALUES ({n}, 'p {n % 2}')" for n in range(7)],
        "INSERT OVERWRITE {t} PARTITION (p = 'p 0') VALUES (100)",
    ],
    "empty": ["CREATE TABLE {t} (id INT, p STRING) USING delta PARTITIONED BY (p)"],
    "emptied": [
        "CREATE TABLE {t} USING delta AS SELECT 1 AS id",
        "INSERT OVERWRITE {t} SELECT 1 WHERE false",
    ],
}
