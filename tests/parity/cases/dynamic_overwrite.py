"""Dynamic partition overwrite: which partitions go, by what values they are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.saving import by_partition, load, no_rows, rows, save, save_table, three_files

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MODE = "spark.sql.sources.partitionOverwriteMode"
DYNAMIC = {"partitionOverwriteMode": "dynamic"}


def _commits(t: Recorder, first: int = 3) -> None:
    t.log(t.path, first)
    t.history(f"delta.`{t.path}`")


def case_dynamic_option(t: Recorder) -> None:
    by_partition(t)
    save(t, "one there, one new", rows(t, "(10, 'n', 'x'), (11, 'n', 'z')"), **DYNAMIC)
    save(t, "null", rows(t, "(12, 'n', CAST(NULL AS STRING))"), **DYNAMIC)
    save(t, "empty text", rows(t, "(13, 'n', '')"), **DYNAMIC)
    save(t, "upper case mode", rows(t, "(14, 'n', 'y')"), partitionOverwriteMode="DYNAMIC")
    load(t)
    _commits(t)


def case_dynamic_option_and_session(t: Recorder) -> None:
    by_partition(t)
    t.conf(MODE, "dynamic")
    save(t, "session", rows(t, "(10, 'n', 'x')"))
    save(t, "static beats the session", rows(t, "(10, 'n', 'y')"), partitionOverwriteMode="static")
    load(t)
    t.conf(MODE, "static")
    save(t, "dynamic beats the session", rows(t, "(11, 'n', 'x')"), **DYNAMIC)
    load(t)
    _commits(t)


def case_dynamic_no_rows(t: Recorder) -> None:
    by_partition(t)
    save(t, "no rows", no_rows(t), **DYNAMIC)
    save(t, "no rows, static", no_rows(t))
    load(t)
    _commits(t)


def case_dynamic_unpartitioned(t: Recorder) -> None:
    three_files(t)
    save(t, "all", rows(t, "(10, 'n', 'x')"), **DYNAMIC)
    save(t, "no rows", no_rows(t), **DYNAMIC)
    load(t)
    _commits(t, 4)


def case_dynamic_appends_and_bad_modes(t: Recorder) -> None:
    by_partition(t)
    one = rows(t, "(10, 'n', 'x')")
    save(t, "append", one, "append", **DYNAMIC)
    save(t, "append, bad mode", one, "append", partitionOverwriteMode="sometimes")
    save(t, "bad mode", one, partitionOverwriteMode="sometimes")
    save(t, "empty mode", one, partitionOverwriteMode="")
    load(t)


def case_dynamic_typed_values(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, d DATE, s TIMESTAMP) USING delta PARTITIONED BY (d, s)")
    t.sql(
        "INSERT INTO t VALUES (1, DATE'2024-01-01', TIMESTAMP'2024-01-01 10:00:00'), "
        "(2, DATE'2024-01-01', TIMESTAMP'2024-01-01 10:00:00.5'), (3, NULL, NULL)"
    )
    t.conf(MODE, "dynamic")
    t.conf("spark.sql.session.timeZone", "Europe/Berlin")
    t.sql("INSERT OVERWRITE t VALUES (10, DATE'2024-01-01', TIMESTAMP'2024-01-01 11:00:00')")
    t.sql("INSERT OVERWRITE t VALUES (11, NULL, NULL)")
    t.sql("INSERT OVERWRITE t VALUES (12, NULL, TIMESTAMP'2024-01-01 11:00:00')")
    t.conf("spark.sql.session.timeZone", "UTC")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_dynamic_numbers(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, n DECIMAL(5, 2), f DOUBLE, b BOOLEAN) "
        "USING delta PARTITIONED BY (n, f, b)"
    )
    t.sql(
        "INSERT INTO t VALUES (1, 1.5, 0.0, true), (2, 2, double('NaN'), false), (3, 3, -0.0, true)"
    )
    t.conf(MODE, "dynamic")
    t.sql("INSERT OVERWRITE t VALUES (10, 1.50, 0, true), (20, 2.00, double('NaN'), false)")
    t.sql("INSERT OVERWRITE t VALUES (30, 3, 0.0, true)")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_dynamic_reads_its_table(t: Recorder) -> None:
    by_partition(t, "t")
    t.conf(MODE, "dynamic")
    t.sql("INSERT OVERWRITE t SELECT id * 10, v, p FROM t WHERE p = 'x'")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_dynamic_null_intolerant(t: Recorder) -> None:
    by_partition(t)
    some = rows(t, "(10, 'n', 'x'), (12, 'n', CAST(NULL AS STRING))")
    flag = "useNullIntolerantEqualityWithDPO"
    save(t, "null partition stays", some, **DYNAMIC, **{flag: "true"})
    load(t)
    save(t, "null partition goes", some, **DYNAMIC, **{flag: "false"})
    load(t)
    save(t, "not dynamic", some, **{flag: "true"})
    save(t, "not dynamic, off", some, **{flag: "false"})
    save(t, "static", some, partitionOverwriteMode="static", **{flag: "true"})
    save(t, "append", some, "append", **{flag: "true"})
    save(t, "no flag", some, **DYNAMIC, **{flag: "maybe"})
    t.conf(MODE, "dynamic")
    save(t, "session", some, **{flag: "true"})
    load(t)
    _commits(t)


def case_dynamic_null_intolerant_two_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING, q INT) USING delta PARTITIONED BY (p, q)")
    t.sql("INSERT INTO t VALUES (1, 'a', 1), (2, 'a', NULL), (3, NULL, 1), (4, NULL, NULL)")
    some = rows(
        t,
        "(10, 'a', 1), (20, 'a', NULL), (30, CAST(NULL AS STRING), 1), (40, NULL, NULL)",
        "id, p, q",
    )
    options = {**DYNAMIC, "useNullIntolerantEqualityWithDPO": "true"}
    save_table(t, "null-intolerant", some, **options)
    t.sql("SELECT * FROM t")
    t.history("t")


def case_dynamic_with_other_options(t: Recorder) -> None:
    by_partition(t)
    one = rows(t, "(10, 'n', 'x')")
    save(t, "dataChange", one, dataChange="false", **DYNAMIC)
    save(t, "userMetadata", one, userMetadata="why", **DYNAMIC)
    grown = t.spark.sql("SELECT 11 AS id, 'n' AS v, 'x' AS p, 1 AS extra")
    save(t, "new column", grown, **DYNAMIC)
    save(t, "mergeSchema", grown, mergeSchema="true", **DYNAMIC)
    save(t, "replaceWhere", one, replaceWhere="p = 'x'", **DYNAMIC)
    load(t)
    _commits(t)


def case_dynamic_named_tables(t: Recorder) -> None:
    by_partition(t, "t")
    save_table(t, "saveAsTable", rows(t, "(10, 'n', 'x')"), **DYNAMIC)
    t.attempt(
        "insertInto",
        lambda: (
            rows(t, "(11, 'n', 'y')").write.mode("overwrite").options(**DYNAMIC).insertInto("t")
        ),
    )
    t.attempt(
        "overwritePartitions", lambda: rows(t, "(12, 'n', 'z')").writeTo("t").overwritePartitions()
    )
    t.attempt(
        "overwritePartitions, static",
        lambda: (
            rows(t, "(13, 'n', 'z')")
            .writeTo("t")
            .option("partitionOverwriteMode", "static")
            .overwritePartitions()
        ),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 3)
    t.history("t")


def case_dynamic_static_partitions_of_types(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, d DATE, n INT) USING delta PARTITIONED BY (d, n)")
    t.sql("INSERT INTO t VALUES (1, DATE'2024-01-01', 1), (2, DATE'2024-01-02', 1), (3, NULL, 2)")
    t.sql("INSERT OVERWRITE t PARTITION (d = '2024-01-01', n = 1) VALUES (10)")
    t.sql("INSERT OVERWRITE t PARTITION (d = DATE'2024-01-02', n = '1') VALUES (20)")
    t.sql("INSERT OVERWRITE t PARTITION (d = NULL) SELECT 30, 2")
    t.sql("INSERT OVERWRITE t PARTITION (n = 1 + 1) SELECT 40, DATE'2024-01-03'")
    t.sql("INSERT OVERWRITE t PARTITION (d = 'x', n = 1) VALUES (50)")
    t.sql("INSERT INTO t PARTITION (d = '2024-01-04', n = 4) VALUES (60)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_dynamic_static_partitions_of_texts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING, q STRING) USING delta PARTITIONED BY (p, q)")
    t.sql("INSERT INTO t VALUES (1, \"it's\", 'a'), (2, 'a/b', 'b'), (3, '', 'c')")
    t.sql("INSERT OVERWRITE t PARTITION (p = \"it's\", q = 'a') VALUES (10)")
    t.sql("INSERT OVERWRITE t PARTITION (p = 'a/b') SELECT 20, 'b'")
    t.sql("INSERT OVERWRITE t PARTITION (p = '', q = 'c') VALUES (30)")
    t.sql("INSERT OVERWRITE t PARTITION (p = 1, q = 'c') VALUES (40)")
    t.sql("INSERT OVERWRITE t PARTITION (P = 'a/b', Q = 'b') VALUES (50)")
    t.sql("SELECT * FROM t")
    t.history("t")
