"""CHECK constraints and the rows that are there when they are added."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.parity.recorder import Recorder


def _tried(t: Recorder, conditions: Iterable[str]) -> None:
    """Add a constraint for each condition; those that are refused leave no version."""
    for number, condition in enumerate(conditions):
        t.sql(f"ALTER TABLE t ADD CONSTRAINT c{number} CHECK ({condition})")
    t.value("versions", lambda: t.spark.sql("DESCRIBE HISTORY t").count())
    t.sql("SHOW TBLPROPERTIES t")


def case_rows_of_numbers(t: Recorder) -> None:
    t.sql("CREATE TABLE t (b TINYINT, i INT, l BIGINT, d DECIMAL(20, 3)) USING delta")
    t.sql("INSERT INTO t VALUES (1, 10, 100, 1.5), (2, 20, 200, 2.5)")
    t.sql("INSERT INTO t VALUES (3, NULL, 300, 9.999)")
    _tried(
        t,
        (
            "b > 0",
            "b > 1",
            "i > 0",
            "i > 0 OR i IS NULL",
            "l > b AND l <= 300",
            "d < 9.999",
            "d <= 9.999",
            "d <> 2.5",
            "i IS NULL OR i <= l",
            "l BETWEEN 100 AND 300",
            "l NOT BETWEEN 150 AND 160",
            "l IN ( 100 , 200 , 300 )",
            "l IN ( 100 , 200 )",
            "l + 1 > 100",
            "NOT ( l > 300 )",
        ),
    )


def case_rows_of_floats(t: Recorder) -> None:
    t.sql("CREATE TABLE t (f FLOAT, d DOUBLE) USING delta")
    t.sql("INSERT INTO t VALUES (1.5, 1.5), (-0.0, 0.0)")
    t.sql("INSERT INTO t VALUES (2.5, double('NaN')), (float('-inf'), 3)")
    _tried(
        t,
        (
            "d < 5",
            "d >= 0",
            "d < 5 OR isnan ( d )",
            "f < 5",
            "f > -1",
            "NOT isnan ( f )",
            "d = d",
            "f = 0.0 OR f <> 0.0",
        ),
    )


def case_rows_of_texts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (s STRING, c CHAR(3), v VARCHAR(5)) USING delta")
    t.sql("INSERT INTO t VALUES ('apple', 'a', 'xx'), ('avocado', 'abc', 'xy')")
    t.sql("INSERT INTO t VALUES ('Äpfel', NULL, '')")
    _tried(
        t,
        (
            "s LIKE 'a%'",
            "s LIKE 'a%' OR s LIKE 'Ä%'",
            "s NOT LIKE 'b%'",
            "s >= 'a'",
            "s < 'b'",
            "c = 'a'",
            "c IS NULL OR c LIKE 'a%'",
            "length ( v ) < 3",
            "v <> 'zz'",
            "s IN ( 'apple' , 'avocado' , 'Äpfel' )",
            "s IS NOT NULL",
            "c IS NOT NULL",
        ),
    )


def case_rows_of_dates(t: Recorder) -> None:
    t.sql("CREATE TABLE t (d DATE, ts TIMESTAMP, n TIMESTAMP_NTZ) USING delta")
    t.sql(
        "INSERT INTO t VALUES (DATE'2024-02-29', TIMESTAMP'2024-02-29 10:00:00.123456',"
        " TIMESTAMP_NTZ'2024-02-29 10:00:00')"
    )
    _tried(
        t,
        (
            "d > '2024-01-01'",
            "d > DATE '2024-02-29'",
            "ts > '2024-02-29 10:00:00.123'",
            "ts <= '2024-02-29 10:00:00.123456'",
            "ts < '2024-02-29 10:00:00.123456'",
            "n < TIMESTAMP_NTZ '2024-03-01'",
            "year ( d ) = 2024",
            "month ( d ) = 3",
            "ts < current_timestamp ( )",
        ),
    )


def case_rows_of_booleans(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, yes BOOLEAN, maybe BOOLEAN) USING delta")
    t.sql("INSERT INTO t VALUES (1, true, NULL), (2, true, false)")
    _tried(t, ("yes", "NOT yes", "maybe", "maybe IS NULL OR NOT maybe", "yes OR maybe"))


def case_rows_of_structs(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRUCT<c: STRING>>) USING delta")
    t.sql("INSERT INTO t VALUES (1, struct(5, struct('x'))), (2, struct(6, struct('y')))")
    t.sql("ALTER TABLE t ADD CONSTRAINT inner CHECK (s . a > 4 AND s . b . c < 'z')")
    t.sql("INSERT INTO t VALUES (3, NULL)")
    t.sql("INSERT INTO t VALUES (3, struct(7, NULL))")
    t.sql("INSERT INTO t VALUES (3, struct(4, struct('x')))")
    t.sql("ALTER TABLE t DROP CONSTRAINT inner")
    t.sql("INSERT INTO t VALUES (3, NULL), (4, struct(7, NULL))")
    _tried(t, ("s IS NOT NULL", "s . b IS NOT NULL", "s . a > 4", "s IS NULL OR s . a > 4"))


def case_rows_of_arrays_and_maps(t: Recorder) -> None:
    t.sql("CREATE TABLE t (xs ARRAY<INT>, m MAP<STRING, INT>) USING delta")
    t.sql("INSERT INTO t VALUES (array(1, 2), map('a', 1)), (array(), map())")
    _tried(
        t,
        (
            "size ( xs ) < 3",
            "size ( xs ) > 0",
            "array_contains ( xs , 1 ) OR size ( xs ) = 0",
            "coalesce ( m [ 'a' ] , 0 ) < 2",
            "m [ 'a' ] = 1",
        ),
    )


def case_rows_in_partitions(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p INT, q STRING) USING delta PARTITIONED BY (p, q)")
    t.sql("INSERT INTO t VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, NULL)")
    _tried(
        t,
        (
            "p > 0",
            "p > 1",
            "q IS NOT NULL",
            "q IS NULL OR q < 'c'",
            "p = 1 AND id < 3 OR p = 2 AND id > 2",
            "p < id OR p = 1",
        ),
    )


def case_rows_that_are_deleted(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (-1)")
    t.sql("INSERT OVERWRITE t VALUES (1)")
    _tried(t, ("id > 0", "id > 1"))


def case_rows_many_violate(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT id FROM range(1000)")
    _tried(t, ("id < 10", "id >= 0"))


def case_rows_of_columns_added_later(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.conf("spark.databricks.delta.schema.autoMerge.enabled", "true")
    t.sql("INSERT INTO t SELECT 2 AS id, 'x' AS late")
    _tried(t, ("late = 'x'", "late IS NULL OR late = 'x'", "late IS NOT NULL"))


def case_rows_with_odd_column_names(t: Recorder) -> None:
    t.sql("CREATE TABLE t (`a.b` INT, `Über` INT, `select` INT) USING delta")
    t.sql("INSERT INTO t VALUES (1, 2, 3)")
    _tried(t, ("`a.b` = 1", "`über` = 2", "`select` < 3", "a . b = 1"))
    t.sql("INSERT INTO t VALUES (2, 2, 3)")


def case_rows_no_rows_at_all(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p)")
    _tried(t, ("id > 5", "false", "p IS NULL"))
    t.log("t", 1)


def case_rows_without_statistics(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, name STRING) USING delta"
        " TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '0')"
    )
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    _tried(t, ("id > 0", "id > 1", "name IS NOT NULL"))


def case_rows_and_functions_of_case_and_null(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    _tried(
        t,
        (
            "CASE WHEN id = 1 THEN name = 'a' ELSE name IS NULL END",
            "if ( id = 1 , name = 'a' , name = 'b' )",
            "coalesce ( name , 'x' ) <> 'y'",
            "name <=> 'a' OR id = 2",
            "name <=> NULL OR id = 1",
            "name = 'a'",
            "NOT ( name = 'z' )",
        ),
    )


def case_rows_ansi_and_legacy(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1, '1'), (2, 'x')")
    t.sql("ALTER TABLE t ADD CONSTRAINT ansi CHECK (cast ( name AS INT ) > 0)")
    t.conf("spark.sql.ansi.enabled", "false")
    t.sql("ALTER TABLE t ADD CONSTRAINT legacy CHECK (cast ( name AS INT ) > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT both CHECK (cast ( name AS INT ) > 0 OR name = 'x')")
    t.sql("SHOW TBLPROPERTIES t")
