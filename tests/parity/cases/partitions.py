"""Partition values of every type, with nulls, empty strings and awkward characters."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

AWKWARD = (
    "a b",
    "a/b",
    "a=b",
    "a%20b",
    "a%",
    "a:b",
    "a?b",
    "a#b",
    "a+b",
    "a&b",
    "[x]",
    "{x}",
    "a\\\\b",
    "a''b".replace("''", "\\'"),
    'a"b',
    "ü",
    "日本",
    "😀",
    ".",
    "..",
    "_",
    "-",
    "*",
    "~",
    "|",
    "^",
    "a,b",
    "a;b",
    "a\\nb",
    "a\\tb",
    " lead",
    "trail ",
    "NULL",
    "null",
    "__HIVE_DEFAULT_PARTITION__",
    "1e5",
    "007",
    "true",
    "2020-01-01",
    "",
)


def case_partition_awkward_texts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    values = ", ".join(f"({n}, '{text}')" for n, text in enumerate(AWKWARD))
    t.sql(f"INSERT INTO t VALUES {values}, (900, NULL)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE p = 'a%20b'")
    t.sql("SELECT id FROM t WHERE p = 'a/b' OR p = 'ü'")
    t.sql("SELECT id FROM t WHERE p IS NULL")
    t.sql("SELECT id FROM t WHERE p = ''")
    t.log("t", 1)
    t.rows(
        "folders",
        lambda: sorted(unquote(x.name) for x in t.place("t").iterdir() if x.name.startswith("p=")),
    )


def case_partition_folder_spelling(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    values = ", ".join(f"({n}, '{text}')" for n, text in enumerate(AWKWARD))
    t.sql(f"INSERT INTO t VALUES {values}")
    t.rows(
        "folders", lambda: sorted(x.name for x in t.place("t").iterdir() if x.name.startswith("p="))
    )
    t.rows(
        "paths in the log",
        lambda: sorted(
            {
                line.split('"path":"')[1].split("/")[0]
                for line in (t.place("t") / "_delta_log" / f"{1:020}.json")
                .read_text("utf-8")
                .splitlines()
                if '"add"' in line
            }
        ),
    )


def case_partition_value_of_each_type(t: Recorder) -> None:
    types = {
        "b": ("BOOLEAN", "true", "false"),
        "i8": ("TINYINT", "1Y", "-128Y"),
        "i16": ("SMALLINT", "2S", "-1S"),
        "i32": ("INT", "3", "-2147483648"),
        "i64": ("BIGINT", "4L", "9223372036854775807L"),
        "f": ("FLOAT", "1.5F", "float('NaN')"),
        "d": ("DOUBLE", "0.1D", "double('Infinity')"),
        "dec": ("DECIMAL(10,2)", "1.50BD", "-0.01BD"),
        "s": ("STRING", "'x'", "''"),
        "bin": ("BINARY", "X'4142'", "X''"),
        "day": ("DATE", "DATE'2020-01-02'", "DATE'0001-01-01'"),
        "at": (
            "TIMESTAMP",
            "TIMESTAMP'2020-01-02 03:04:05'",
            "TIMESTAMP'2020-01-02 03:04:05.000001'",
        ),
        "ntz": (
            "TIMESTAMP_NTZ",
            "TIMESTAMP_NTZ'2020-01-02 03:04:05'",
            "TIMESTAMP_NTZ'1969-12-31 23:59:59.5'",
        ),
    }
    for name, (kind, first, second) in types.items():
        t.sql(f"CREATE TABLE {name}_t (id INT, p {kind}) USING delta PARTITIONED BY (p)")
        t.sql(f"INSERT INTO {name}_t VALUES (1, {first}), (2, {second}), (3, NULL)")
        t.sql(f"SELECT id, CAST(p AS STRING) AS p FROM {name}_t")
        t.sql(f"SELECT id FROM {name}_t WHERE p = {first}")
        t.sql(f"SELECT id FROM {name}_t WHERE p <=> {second}")
        t.log(f"{name}_t", 1)


def case_partition_many_columns_in_order(t: Recorder) -> None:
    t.sql("CREATE TABLE t (b STRING, id INT, a INT, v STRING) USING delta PARTITIONED BY (a, b)")
    t.sql("INSERT INTO t VALUES ('x', 1, 10, 'v1'), ('y', 2, NULL, 'v2'), (NULL, 3, 20, 'v3')")
    t.sql("SELECT * FROM t")
    t.sql("SELECT v FROM t WHERE a = 10 AND b = 'x'")
    t.sql("SELECT a, b FROM t WHERE v = 'v2'")
    t.rows(
        "folders",
        lambda: sorted(
            "/".join(x.relative_to(t.place("t")).parts[:-1])
            for x in t.place("t").rglob("*.parquet")
        ),
    )
    t.log("t")


def case_partition_column_with_odd_name(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, `größe/x` STRING, `a:b` INT) USING delta"
        " PARTITIONED BY (`größe/x`, `a:b`)"
    )
    t.sql("INSERT INTO t VALUES (1, 'v', 2)")
    t.sql("SELECT * FROM t WHERE `a:b` = 2")
    t.log("t", 1)


def case_partition_of_existing_data_is_appended(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p DATE) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, DATE'2020-01-01')")
    t.sql("INSERT INTO t VALUES (2, DATE'2020-01-01'), (3, DATE'2020-01-02')")
    t.sql("SELECT p, count(*) AS n FROM t GROUP BY p ORDER BY p")
    t.sql("SELECT DISTINCT p FROM t WHERE p > '2020-01-01'")


def case_partition_char_and_decimal_text(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, c CHAR(3), d DECIMAL(5,3)) USING delta PARTITIONED BY (c, d)")
    t.sql("INSERT INTO t VALUES (1, 'a', 1.5)")
    t.sql("SELECT id, c, length(c) AS n, d FROM t WHERE c = 'a'")
    t.log("t", 1)


def case_partition_all_null(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t USING delta PARTITIONED BY (p) AS SELECT id, CAST(NULL AS INT) AS p"
        " FROM range(2)"
    )
    t.sql("SELECT * FROM t")
    t.sql("SELECT count(*) AS n, count(p) AS ps, max(p) AS hi FROM t")
