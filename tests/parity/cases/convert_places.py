"""CONVERT TO DELTA of relative paths, and of tables with comments."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.parity.convert_sources import files

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_convert_relative_path(t: Recorder) -> None:
    place = os.path.relpath(files(t))
    t.attempt("convert", lambda: t.spark.sql(f"CONVERT TO DELTA parquet.`{place}`"))
    t.show("relative", lambda: t.spark.read.format("delta").load(place))
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.attempt("nothing", lambda: t.spark.sql("CONVERT TO DELTA parquet.`no/such/folder`"))
    other = os.path.relpath(files(t, place=t.folder("other")))
    t.attempt(
        "by the API", lambda: t.tables.DeltaTable.convertToDelta(t.spark, f"parquet.`{other}`")
    )
    t.sql(f"SELECT count(*) AS n FROM delta.`{t.folder('other')}`")


def case_convert_table_with_comments(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE c (id INT COMMENT 'a number', p INT COMMENT 'a part') USING parquet"
        " PARTITIONED BY (p) COMMENT 'the table'"
    )
    t.sql("INSERT INTO c VALUES (1, 1), (2, 2)")
    t.sql("CONVERT TO DELTA c")
    t.sql("DESCRIBE c")
    t.value("described", lambda: t.spark.sql("DESCRIBE DETAIL c").first()["description"])
    t.value("in the catalog", lambda: t.spark.catalog.getTable("c").description)
