"""CONVERT TO DELTA of files whose columns tell something: types, comments, differences."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

TIMESTAMPS = "spark.sql.parquet.outputTimestampType"


def put(t: Recorder, *queries: str, place: str = "") -> str:
    """Write the rows of each query into one file, and return their folder."""
    root = Path(place or t.path)
    root.mkdir(parents=True, exist_ok=True)
    for number, query in enumerate(queries):
        made = Path(t.folder("made"))
        t.spark.sql(query).coalesce(1).write.parquet(str(made))
        shutil.move(next(made.glob("*.parquet")), root / f"f{number}.parquet")
        shutil.rmtree(made)
    return str(root)


def convert(t: Recorder, *queries: str, clause: str = "") -> None:
    """Convert files, one a query, and record the rows and the log."""
    root = put(t, *queries)
    t.sql(f"CONVERT TO DELTA parquet.`{root}` {clause}")
    t.sql(f"SELECT * FROM delta.`{root}`")
    t.log(root)


def merged(t: Recorder, columns: str, *queries: str) -> None:
    """Convert files that differ; record these columns, whose order hangs on that of the files."""
    root = put(t, *queries)
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT {columns} FROM delta.`{root}` ORDER BY 1, 2")


def case_convert_schema_of_each_number(t: Recorder) -> None:
    convert(
        t,
        "SELECT * FROM VALUES (true, 1Y, 2S, 3, 4L, 0.5F, 0.25D, 1.5BD, CAST(-2.25 AS"
        " DECIMAL(18, 2)), CAST(7 AS DECIMAL(38, 10))), (NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
        " NULL, NULL, NULL) AS v(b, i8, i16, i32, i64, f, d, small, middle, large)",
    )


def case_convert_schema_of_texts_and_days(t: Recorder) -> None:
    convert(
        t,
        "SELECT * FROM VALUES ('z', X'00ff', DATE'2020-02-29', TIMESTAMP_NTZ'2020-01-01 00:00:00.5'"
        "), ('a', NULL, DATE'1999-12-31', NULL) AS v(s, x, day, wall)",
    )


def case_convert_schema_of_long_texts(t: Recorder) -> None:
    convert(t, "SELECT repeat('ab', 40) AS s, repeat('\\u00e9', 40) AS e, '' AS empty")


def case_convert_schema_of_nested_columns(t: Recorder) -> None:
    root = put(
        t,
        "SELECT named_struct('x', 1, 'y', named_struct('z', 't')) AS st, array(1, NULL) AS l,"
        " array(array(named_struct('p', 1L))) AS ll, map('k', map(1, 'v')) AS m",
    )
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT * FROM delta.`{root}` WHERE st.y.z = 't'")
    t.sql(f"DESCRIBE delta.`{root}`")


def case_convert_schema_of_a_variant(t: Recorder) -> None:
    root = put(t, """SELECT 1 AS id, parse_json('{"a": [1, null]}') AS v""")
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT id, to_json(v) FROM delta.`{root}`")
    t.detail(f"delta.`{root}`")


def case_convert_schema_of_legacy_files(t: Recorder) -> None:
    t.conf("spark.sql.parquet.writeLegacyFormat", "true")
    root = put(
        t,
        "SELECT 1.5BD AS small, CAST(1 AS DECIMAL(18, 3)) AS middle, array(1, NULL) AS l,"
        " array(named_struct('p', 1)) AS ls, map('k', 1) AS m",
    )
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT * FROM delta.`{root}`")
    t.sql(f"SELECT * FROM delta.`{root}` WHERE small > 1 AND middle < 2")


def points_in_time(t: Recorder, kind: str) -> None:
    t.conf(TIMESTAMPS, kind)
    convert(
        t,
        "SELECT * FROM VALUES (1, TIMESTAMP'2020-01-02 03:04:05.678901'), (2, NULL),"
        " (3, TIMESTAMP'1969-12-31 23:59:59') AS v(id, at)",
    )
    t.sql(f"SELECT id FROM delta.`{t.path}` WHERE at > TIMESTAMP'2020-01-02 03:04:05.6'")


def case_convert_schema_of_int96(t: Recorder) -> None:
    points_in_time(t, "INT96")


def case_convert_schema_of_micros(t: Recorder) -> None:
    points_in_time(t, "TIMESTAMP_MICROS")


def case_convert_schema_of_millis(t: Recorder) -> None:
    points_in_time(t, "TIMESTAMP_MILLIS")


def case_convert_schema_of_days_of_old(t: Recorder) -> None:
    t.conf("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY")
    root = put(t, "SELECT DATE'1500-01-01' AS day, 1 AS id", "SELECT DATE'2000-01-01', 2 AS id")
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT * FROM delta.`{root}` WHERE day = DATE'1500-01-01'")


def case_convert_schema_of_columns_that_some_files_lack(t: Recorder) -> None:
    merged(t, "a, b, c", "SELECT 1 AS a", "SELECT 'x' AS b", "SELECT 1.5D AS c, 2 AS a")


def case_convert_schema_of_columns_in_another_order(t: Recorder) -> None:
    merged(t, "a, b", "SELECT 1 AS a, 'x' AS b", "SELECT 'y' AS b, 2 AS a")


def case_convert_schema_of_names_in_another_case(t: Recorder) -> None:
    root = put(t, "SELECT 1 AS a, 'x' AS b", "SELECT 2 AS A, 'y' AS B")
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT a AS a, b AS b FROM delta.`{root}` ORDER BY 1")
    t.sql(f"SELECT a AS a FROM delta.`{root}` WHERE b = 'y'")


def case_convert_schema_of_small_integers(t: Recorder) -> None:
    merged(t, "a, b", "SELECT 1Y AS a, 1 AS b", "SELECT 2S AS a, 2Y AS b", "SELECT 3Y AS a, 3S b")


def case_convert_schema_of_structs_that_grow(t: Recorder) -> None:
    merged(
        t,
        "id, s.x, s.y, s.z.p, s.z.q",
        "SELECT 1 AS id, named_struct('x', 1, 'z', named_struct('p', 1)) AS s",
        "SELECT 2 AS id, named_struct('y', 't', 'z', named_struct('q', 2)) AS s",
    )


def case_convert_schema_of_lists_and_maps_that_grow(t: Recorder) -> None:
    merged(
        t,
        "id, l.p, l.q, m['k'].v, m['k'].w",
        "SELECT 1 AS id, array(named_struct('p', 1)) AS l, map('k', named_struct('v', 1)) AS m",
        "SELECT 2 AS id, array(named_struct('q', 2)) AS l, map('k', named_struct('w', 2)) AS m",
    )


def clash(t: Recorder, one: str, other: str) -> None:
    root = put(t, f"SELECT {one} AS a", f"SELECT {other} AS a")
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.value("versions", lambda: len(list(Path(root).glob("_delta_log/*.json"))))


def case_convert_schema_of_int_and_bigint(t: Recorder) -> None:
    clash(t, "1", "1L")


def case_convert_schema_of_text_and_number(t: Recorder) -> None:
    clash(t, "'x'", "1")


def case_convert_schema_of_two_decimals(t: Recorder) -> None:
    clash(t, "CAST(1 AS DECIMAL(10, 2))", "CAST(1 AS DECIMAL(12, 2))")


def case_convert_schema_of_time_with_and_without_zone(t: Recorder) -> None:
    clash(t, "TIMESTAMP'2020-01-01 00:00:00'", "TIMESTAMP_NTZ'2020-01-01 00:00:00'")


def case_convert_schema_of_parts_that_differ(t: Recorder) -> None:
    clash(t, "named_struct('x', array(1))", "named_struct('x', array('t'))")


def case_convert_schema_of_columns_not_null(t: Recorder) -> None:
    t.sql("CREATE TABLE p (id INT NOT NULL, s STRUCT<x: INT NOT NULL>) USING parquet")
    t.spark.sql("INSERT INTO p VALUES (1, named_struct('x', 2))")
    t.spark.range(2).write.mode("append").parquet(t.path)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (NULL)")
    t.sql(f"CONVERT TO DELTA parquet.`{t.place('p')}`")
    t.sql(f"INSERT INTO delta.`{t.place('p')}` VALUES (NULL, NULL)")
    t.sql(f"SELECT * FROM delta.`{t.place('p')}` ORDER BY id")


def case_convert_schema_with_comments(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE p (id INT COMMENT 'of a row', s STRUCT<x: INT COMMENT 'inside'>)"
        " USING parquet COMMENT 'the table'"
    )
    t.spark.sql("INSERT INTO p VALUES (1, named_struct('x', 2))")
    t.sql(f"CONVERT TO DELTA parquet.`{t.place('p')}`")
    t.sql(f"DESCRIBE delta.`{t.place('p')}`")
    t.log(str(t.place("p")))


def case_convert_schema_of_declared_lengths(t: Recorder) -> None:
    t.sql("CREATE TABLE p (c CHAR(3), v VARCHAR(3)) USING parquet")
    t.spark.sql("INSERT INTO p VALUES ('a', 'abc')")
    t.sql(f"CONVERT TO DELTA parquet.`{t.place('p')}`")
    t.sql(f"DESCRIBE delta.`{t.place('p')}`")
    t.sql(f"INSERT INTO delta.`{t.place('p')}` VALUES ('abcd', 'abcd')")
    t.sql(f"SELECT c, v, length(c) FROM delta.`{t.place('p')}` ORDER BY v")


def case_convert_schema_with_the_partition_column_in_the_files(t: Recorder) -> None:
    root = Path(t.path)
    put(t, "SELECT '7' AS p, 1 AS id", place=str(root / "p=1"))
    put(t, "SELECT '8' AS p, 2 AS id", place=str(root / "p=2"))
    t.sql(f"CONVERT TO DELTA parquet.`{root}` PARTITIONED BY (p INT)")
    t.sql(f"SELECT * FROM delta.`{root}` ORDER BY id")
    t.sql(f"SELECT id FROM delta.`{root}` WHERE p = 2")
    t.log(str(root))


def case_convert_schema_of_an_interval(t: Recorder) -> None:
    convert(t, "SELECT INTERVAL '1' DAY AS a")


def case_convert_schema_with_odd_names(t: Recorder) -> None:
    convert(t, "SELECT 1 AS `a b`, 2 AS `c;d`")
    t.sql(f"SELECT * FROM parquet.`{t.path}`")


def case_convert_schema_with_dots_in_names(t: Recorder) -> None:
    convert(t, "SELECT 1 AS `a.b`, named_struct('b', 2) AS a")


def case_convert_schema_with_a_name_twice(t: Recorder) -> None:
    t.conf("spark.sql.caseSensitive", "true")
    root = put(t, "SELECT 1 AS a, 2 AS A")
    t.conf("spark.sql.caseSensitive", "false")
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.value("versions", lambda: len(list(Path(root).glob("_delta_log/*.json"))))


def case_convert_schema_of_files_without_rows(t: Recorder) -> None:
    convert(t, "SELECT 1 AS a, 'x' AS b WHERE false")


def case_convert_schema_of_a_file_with_rows_and_one_without(t: Recorder) -> None:
    merged(t, "a, b", "SELECT 1 AS a, 'x' AS b WHERE false", "SELECT 2 AS a, 'y' AS b")


def case_convert_schema_of_nulls_alone(t: Recorder) -> None:
    convert(t, "SELECT CAST(NULL AS INT) AS a, CAST(NULL AS STRING) AS s, 1 AS id")


def case_convert_schema_of_what_is_no_number(t: Recorder) -> None:
    root = put(t, "SELECT * FROM VALUES (double('NaN'), 1F), (1D, float('NaN')) AS v(d, f)")
    t.sql(f"CONVERT TO DELTA parquet.`{root}`")
    t.sql(f"SELECT count(*) FROM delta.`{root}` WHERE d > 5")
    t.sql(f"SELECT count(*) FROM delta.`{root}` WHERE f > 5")
    t.sql(f"SELECT count(*) FROM delta.`{root}` WHERE d < 5")


def case_convert_schema_of_a_delta_table_without_its_log(t: Recorder) -> None:
    t.sql("CREATE TABLE d (id INT NOT NULL COMMENT 'key', v STRING) USING delta")
    t.spark.sql("INSERT INTO d VALUES (1, 'a')")
    shutil.copytree(t.place("d"), t.path, ignore=shutil.ignore_patterns("_delta_log"))
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.sql(f"DESCRIBE delta.`{t.path}`")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.detail(f"delta.`{t.path}`")


def case_convert_schema_of_a_setting_that_reads_bytes_as_text(t: Recorder) -> None:
    t.conf("spark.sql.parquet.binaryAsString", "true")
    convert(t, "SELECT X'61' AS a")
