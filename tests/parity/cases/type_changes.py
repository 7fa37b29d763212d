"""Types of columns changed by ALTER TABLE: each widening, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

ALLOWED = "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"


def _change(t: Recorder, column: str, kind: str, table: str = "t") -> None:
    t.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind}")


def case_type_integers_step_by_step(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT, n TINYINT) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 127), (2, NULL)")
    for number, (kind, value) in enumerate(
        [("SMALLINT", 32767), ("INT", 2147483647), ("BIGINT", 9223372036854775807)]
    ):
        _change(t, "n", kind)
        t.sql(f"INSERT INTO t VALUES ({10 + number}, {value})")
        t.sql("SELECT * FROM t")
    t.log("t", 1)
    t.history("t")


def case_type_integers_to_double_and_decimal(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a TINYINT, b INT, c INT, d BIGINT) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 2, 3, 4), (-128, -2147483648, 7, -9223372036854775808)")
    _change(t, "a", "DOUBLE")
    _change(t, "b", "DOUBLE")
    _change(t, "c", "DECIMAL(12, 2)")
    _change(t, "d", "DECIMAL(20, 0)")
    t.sql("INSERT INTO t VALUES (1.5, 2.5, 1234567890.25, 99999999999999999999)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t WHERE b > 2 AND c > 3")
    t.log("t", 2)


def case_type_float_and_decimal(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (f FLOAT, d DECIMAL(5,2), e DECIMAL(5,0)) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1.1, 123.45, 7), (float('NaN'), NULL, -99999)")
    _change(t, "f", "DOUBLE")
    _change(t, "d", "DECIMAL(20,2)")
    _change(t, "e", "DECIMAL(12,4)")
    t.sql("INSERT INTO t VALUES (double('Infinity'), 123456789012345678.99, 12345678.1234)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT max(d), min(e) FROM t")
    _change(t, "d", "DECIMAL(20,1)")
    _change(t, "e", "DECIMAL(12,5)")


def case_type_date_to_timestamp_ntz(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT, d DATE) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, DATE'2020-02-29'), (2, DATE'1582-10-04'), (3, NULL)")
    _change(t, "d", "TIMESTAMP_NTZ")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.timestampntz' = 'supported')")
    _change(t, "d", "TIMESTAMP_NTZ")
    t.sql("INSERT INTO t VALUES (4, TIMESTAMP_NTZ'2020-02-29 01:02:03.456789')")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE d >= TIMESTAMP_NTZ'2020-02-29 00:00:00'")
    _change(t, "d", "TIMESTAMP")
    t.log("t", 2)


def case_type_nested_fields(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (s STRUCT<a: INT, in: STRUCT<b: SMALLINT>>, l ARRAY<INT>,
        m MAP<INT, FLOAT>, ls ARRAY<STRUCT<x: INT>>, ms MAP<STRING, STRUCT<y: INT>>)
        USING delta {ALLOWED}""")
    t.sql("""INSERT INTO t VALUES (struct(1, struct(2S)), array(3), map(4, 5.5F),
        array(struct(6)), map('k', struct(7)))""")
    for column, kind in [
        ("s.a", "BIGINT"),
        ("s.in.b", "INT"),
        ("l.element", "BIGINT"),
        ("m.key", "BIGINT"),
        ("m.value", "DOUBLE"),
        ("ls.element.x", "BIGINT"),
        ("ms.value.y", "DOUBLE"),
    ]:
        _change(t, column, kind)
    t.sql("SELECT * FROM t")
    t.sql("""INSERT INTO t VALUES (struct(3000000000, struct(40000)), array(3000000000),
        map(3000000000, 1.1D), array(struct(3000000000)), map('k', struct(1.5D)))""")
    t.sql("SELECT * FROM t")
    t.sql("SELECT s.a, element_at(l, 1), ms['k'].y FROM t WHERE s.a > 2")
    t.log("t", 2)
    t.history("t")


def case_type_partition_column(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT, p SMALLINT) USING delta PARTITIONED BY (p) {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 2), (2, NULL)")
    _change(t, "p", "INT")
    t.sql("INSERT INTO t VALUES (3, 100000), (4, 2)")
    t.sql("SELECT * FROM t WHERE p = 2")
    _change(t, "p", "DOUBLE")
    t.sql("INSERT INTO t VALUES (5, 1.5)")
    t.sql("SELECT * FROM t WHERE p > 1.7")
    t.sql("SELECT * FROM t")
    t.sql("SELECT max(p), count(*) FROM t")
    t.log("t", 2)


def case_type_without_the_property(t: Recorder) -> None:
    t.sql("CREATE TABLE t (i INT, s STRUCT<a: INT>, l ARRAY<INT>) USING delta")
    _change(t, "i", "BIGINT")
    _change(t, "s.a", "BIGINT")
    _change(t, "l.element", "BIGINT")
    _change(t, "i", "INT")
    t.history("t")


def case_type_refused(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (i INT, n BIGINT, f FLOAT, d DATE, s STRING, b BINARY, o BOOLEAN,
        at TIMESTAMP, e DECIMAL(10,2), st STRUCT<`a b`: INT>) USING delta
        TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.columnMapping.mode' = 'name')""")
    for column, kind in [
        ("i", "STRING"),
        ("i", "FLOAT"),
        ("i", "SMALLINT"),
        ("i", "BOOLEAN"),
        ("i", "DECIMAL(5,0)"),
        ("n", "DOUBLE"),
        ("n", "INT"),
        ("n", "TIMESTAMP"),
        ("f", "STRING"),
        ("d", "STRING"),
        ("d", "TIMESTAMP"),
        ("s", "INT"),
        ("b", "STRING"),
        ("o", "STRING"),
        ("o", "INT"),
        ("at", "TIMESTAMP_NTZ"),
        ("at", "DATE"),
        ("e", "DECIMAL(9,2)"),
        ("e", "DOUBLE"),
        ("st.`a b`", "STRING"),
    ]:
        _change(t, column, kind)
    t.history("t")


def case_type_of_a_whole_nested_column(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (s STRUCT<a: INT>, l ARRAY<INT>, m MAP<INT, INT>, i INT)
        USING delta {ALLOWED}""")
    for column, kind in [
        ("s", "STRUCT<a: BIGINT>"),
        ("s", "STRING"),
        ("l", "ARRAY<BIGINT>"),
        ("m", "MAP<INT, BIGINT>"),
        ("i", "STRUCT<a: INT>"),
        ("i", "ARRAY<INT>"),
        ("s", "STRUCT<a: INT>"),
        ("l", "ARRAY<INT>"),
    ]:
        _change(t, column, kind)
    t.sql("DESCRIBE t")


def case_type_longer_texts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (v VARCHAR(3), c CHAR(3), s STRING, w VARCHAR(2)) USING delta")
    t.sql("INSERT INTO t VALUES ('abc', 'ab', 'x', 'yz')")
    _change(t, "v", "VARCHAR(5)")
    t.sql("INSERT INTO t VALUES ('abcde', 'ab', 'x', 'yz')")
    _change(t, "v", "VARCHAR(4)")
    _change(t, "c", "VARCHAR(6)")
    _change(t, "w", "STRING")
    _change(t, "s", "VARCHAR(10)")
    _change(t, "s", "STRING")
    t.sql("INSERT INTO t VALUES ('abcde', 'abcdef', 'x', 'much longer')")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 2)


def case_type_char_refused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (c CHAR(3), v VARCHAR(3)) USING delta")
    _change(t, "c", "CHAR(5)")
    _change(t, "c", "VARCHAR(2)")
    _change(t, "v", "CHAR(3)")
    _change(t, "v", "CHAR(5)")
    _change(t, "c", "CHAR(3)")
    t.history("t")


def case_type_property_set_and_unset(t: Recorder) -> None:
    t.sql("CREATE TABLE t (i INT) USING delta")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    t.log("t", 1)
    t.sql("INSERT INTO t VALUES (1)")
    _change(t, "i", "BIGINT")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableTypeWidening' = 'false')")
    _change(t, "i", "DECIMAL(20,0)")
    t.sql("SELECT * FROM t")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableTypeWidening')")
    t.sql("INSERT INTO t VALUES (3000000000)")
    t.sql("SELECT * FROM t")
    t.detail("t")


def case_type_with_comment_and_position(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT COMMENT 'old', c INT NOT NULL) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 2, 3)")
    t.sql("ALTER TABLE t CHANGE COLUMN b b BIGINT COMMENT 'new' FIRST")
    t.sql("ALTER TABLE t CHANGE COLUMN c c BIGINT AFTER b")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.history("t")


def case_type_of_several_columns(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT, s STRUCT<c: INT>) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 2, struct(3))")
    t.sql("ALTER TABLE t ALTER COLUMN a TYPE BIGINT, s.c TYPE DOUBLE")
    t.sql("ALTER TABLE t ALTER COLUMN b TYPE STRING, a TYPE DECIMAL(20,0)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_type_by_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (i INT) USING delta {ALLOWED}")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (1)")
    _change(t, "i", "BIGINT", f"delta.`{t.path}`")
    _change(t, "i", "STRING", f"delta.`{t.path}`")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.log(t.path, 2)


def case_type_names_in_any_case(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (Abc INT, S STRUCT<`D.e`: INT>) USING delta {ALLOWED}")
    _change(t, "aBC", "BIGINT")
    _change(t, "s.`d.E`", "BIGINT")
    _change(t, "`ABC`", "STRING")
    _change(t, "nope", "BIGINT")
    _change(t, "s.nope", "BIGINT")
    _change(t, "abc.nope", "BIGINT")
    t.sql("DESCRIBE t")
    t.history("t")
