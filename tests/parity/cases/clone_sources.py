"""SHALLOW CLONE of Parquet folders and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.cases.clone import clone, shown
from tests.parity.convert_sources import files, partitioned

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_clone_parquet_folder(t: Recorder) -> None:
    files(t)
    clone(t, f"CREATE TABLE c SHALLOW CLONE parquet.`{t.path}`")
    shown(t)
    t.sql("DELETE FROM c WHERE id = 1")
    t.sql("SELECT * FROM c")
    t.sql(f"SELECT * FROM parquet.`{t.path}`")


def case_clone_parquet_of_a_version(t: Recorder) -> None:
    files(t)
    clone(t, f"CREATE TABLE c SHALLOW CLONE parquet.`{t.path}` VERSION AS OF 0")
    clone(t, f"CREATE TABLE c SHALLOW CLONE parquet.`{t.path}` TIMESTAMP AS OF '2999-01-01'")


def case_clone_parquet_partitions(t: Recorder) -> None:
    partitioned(t)
    clone(t, f"CREATE TABLE c SHALLOW CLONE parquet.`{t.path}`")
    t.spark.sql("CREATE TABLE p (id BIGINT, q STRING, p INT) USING parquet PARTITIONED BY (q, p)")
    t.spark.sql("INSERT INTO p SELECT /*+ COALESCE(1) */ id, 'a', 1 FROM range(2)")
    t.spark.sql("INSERT INTO p SELECT /*+ COALESCE(1) */ id, 'b/c', 2 FROM range(2)")
    clone(t, "CREATE TABLE d SHALLOW CLONE p")
    shown(t, "d")
    t.sql("SELECT * FROM d WHERE p = 2")


def case_clone_parquet_table(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE p (id BIGINT, v STRING) USING parquet TBLPROPERTIES ('a' = 'b')")
    t.spark.sql("INSERT INTO p SELECT /*+ COALESCE(1) */ id, 'x' FROM range(2)")
    clone(t, "CREATE TABLE c SHALLOW CLONE p")
    shown(t)
    clone(t, "CREATE TABLE d SHALLOW CLONE p TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    clone(t, "CREATE TABLE e SHALLOW CLONE p TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    clone(t, f"CREATE TABLE delta.`{t.path}` SHALLOW CLONE p")
    clone(
        t, "CREATE TABLE f SHALLOW CLONE p TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    shown(t, "f")
    t.sql("INSERT INTO f VALUES (9, 'n')")
    t.sql("SELECT * FROM f")


def case_clone_parquet_of_nothing(t: Recorder) -> None:
    clone(t, f"CREATE TABLE c SHALLOW CLONE parquet.`{t.path}`")
    files(t, place=t.folder("none"))
    for file in t.place(t.folder("none")).glob("part-*"):
        file.unlink()
    clone(t, f"CREATE TABLE c SHALLOW CLONE parquet.`{t.folder('none')}`")
    clone(t, "CREATE TABLE c SHALLOW CLONE parquet.`rel/path`")
    t.spark.sql("CREATE TABLE p (id BIGINT) USING parquet")
    clone(t, "CREATE TABLE d SHALLOW CLONE p")
    shown(t, "d")


def case_clone_parquet_over_tables(t: Recorder) -> None:
    files(t)
    t.spark.sql("CREATE TABLE u (id INT) USING delta")
    clone(t, f"CREATE OR REPLACE TABLE u SHALLOW CLONE parquet.`{t.path}`")
    shown(t, "u", 1)
    clone(t, f"CREATE TABLE parquet.`{t.folder('x')}` SHALLOW CLONE u")


def case_clone_iceberg(t: Recorder) -> None:
    clone(t, f"CREATE TABLE c SHALLOW CLONE iceberg.`{t.path}`")
