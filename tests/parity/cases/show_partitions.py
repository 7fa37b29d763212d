"""SHOW PARTITIONS, and what names and paths without a table are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_show_partitions(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING, d DATE) USING delta PARTITIONED BY (p, d)")
    t.sql("SHOW PARTITIONS t")
    t.sql(
        "INSERT INTO t VALUES (1, 'a', DATE'2024-01-01'), (2, NULL, DATE'2024-01-02'),"
        " (3, 'a', DATE'2024-01-01'), (4, 'b', NULL)"
    )
    t.sql("SHOW PARTITIONS t")
    t.sql("SHOW PARTITIONS t PARTITION (p = 'a')")
    t.sql("SHOW PARTITIONS t PARTITION (P = 'a', d = DATE'2024-01-01')")
    t.sql("SHOW PARTITIONS t PARTITION (d = '2024-01-02')")
    t.sql("SHOW PARTITIONS t PARTITION (p = 'none')")
    t.sql("SHOW PARTITIONS t PARTITION (p = NULL)")
    t.sql("SHOW PARTITIONS t PARTITION (id = 1)")
    t.sql("SHOW PARTITIONS t PARTITION (nope = 1)")


def case_show_partitions_where_there_are_none(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("SHOW PARTITIONS t")
    t.sql("SHOW PARTITIONS nope")
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("SHOW PARTITIONS v")
    t.sql(f"SHOW PARTITIONS delta.`{t.path}`")


def case_statements_on_paths_without_a_table(t: Recorder) -> None:
    nope = f"delta.`{t.folder('nope')}`"
    t.sql(f"SELECT * FROM {nope}")
    t.sql(f"INSERT INTO {nope} VALUES (1)")
    t.sql(f"INSERT OVERWRITE {nope} VALUES (1)")
    t.sql(f"ALTER TABLE {nope} SET TBLPROPERTIES ('x' = 'y')")
    t.sql(f"ALTER TABLE {nope} UNSET TBLPROPERTIES ('x')")
    t.sql(f"COMMENT ON TABLE {nope} IS 'x'")
    t.sql(f"SHOW COLUMNS IN {nope}")
    t.sql(f"SHOW TBLPROPERTIES {nope}")
    t.sql(f"DESCRIBE {nope}")
    t.attempt("files", lambda: t.spark.range(1).write.parquet(t.folder("files")))
    files = f"delta.`{t.folder('files')}`"
    t.sql(f"SELECT * FROM {files}")
    t.sql(f"INSERT INTO {files} VALUES (1)")
    t.sql(f"ALTER TABLE {files} SET TBLPROPERTIES ('x' = 'y')")
    t.sql(f"TRUNCATE TABLE {files}")


def case_overwrite_directory(t: Recorder) -> None:
    t.sql(f"INSERT OVERWRITE DIRECTORY '{t.path}' USING delta SELECT 1 AS id")
    t.sql(f"INSERT OVERWRITE LOCAL DIRECTORY '{t.path}' USING delta SELECT 1 AS id")
    t.sql(f"INSERT OVERWRITE DIRECTORY USING delta OPTIONS ('path' '{t.path}') SELECT 1 AS id")
    t.sql(f"INSERT OVERWRITE DIRECTORY '{t.path}' USING parquet SELECT 1 AS id")
