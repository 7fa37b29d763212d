"""Change data feeds of tables whose columns change: their schema, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import FEED, MAPPED, THREE_AND_TWO, VECTORS, feed, make, put
from tests.parity.saving import rows, save_table

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MODE = "spark.databricks.delta.changeDataFeed.defaultSchemaModeForColumnMappingTable"
SPANS = ((1, 1), (3, 3), (1, 3), (3, 5), (5, 5), (5, None), (7, None))


def _renamed_grown_and_cut(t: Recorder) -> None:
    """Rows in versions 1, 3, 5 and 7; between them a column is renamed, added and dropped."""
    make(t, "(1, 'a')", properties={**FEED, **MAPPED})
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    put(t, "(2, 'b')")
    t.spark.sql("ALTER TABLE t ADD COLUMN x INT")
    put(t, "(3, 'c', 7)")
    t.spark.sql("ALTER TABLE t DROP COLUMN w")
    put(t, "(4, 8)")


def _spans(t: Recorder, mode: str) -> None:
    _renamed_grown_and_cut(t)
    t.conf(MODE, mode)
    for start, end in SPANS:
        feed(t, start, end)


def case_schema_of_the_default(t: Recorder) -> None:
    _renamed_grown_and_cut(t)
    for start, end in SPANS:
        feed(t, start, end)


def case_schema_of_the_last_version_read(t: Recorder) -> None:
    _spans(t, "endVersion")


def case_schema_of_the_latest_version(t: Recorder) -> None:
    _spans(t, "latest")


def case_schema_as_it_used_to_be(t: Recorder) -> None:
    _spans(t, "legacy")


def case_schema_of_no_mode(t: Recorder) -> None:
    _renamed_grown_and_cut(t)
    t.attempt("zigzag", lambda: t.conf(MODE, "zigzag"))
    feed(t, 5, 5)
    t.attempt("in capitals", lambda: t.conf(MODE, "LATEST"))
    feed(t, 5, 5)


def case_schema_modes_without_mapping(t: Recorder) -> None:
    make(t, "(1, 'a')", properties=FEED)
    t.spark.sql("ALTER TABLE t ADD COLUMN x INT")
    put(t, "(2, 'b', 3)")
    for mode in ("endVersion", "latest", "legacy"):
        t.conf(MODE, mode)
        feed(t, 1, 1)
        feed(t, 1, 3)


def case_feed_of_schemas_that_are_replaced(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**FEED, **MAPPED})
    same = rows(t, "(6, 'f')", "id, v")
    more = rows(t, "(7, 'g', 1)", "id, v, x")
    less = rows(t, "(8)", "id")
    whole = {"overwriteSchema": "true"}
    save_table(t, "the same columns", same, "overwrite", **whole)
    save_table(t, "one more", more, "overwrite", **whole)
    save_table(t, "one less", less, "overwrite", **whole)
    save_table(t, "merged", more, "append", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.sql("CREATE OR REPLACE TABLE t AS SELECT 1 AS id")
    told = "'delta.enableChangeDataFeed' = 'true', 'delta.columnMapping.mode' = 'name'"
    t.sql(f"CREATE OR REPLACE TABLE t USING delta TBLPROPERTIES ({told}) AS SELECT 1 AS id")
    t.sql(f"CREATE OR REPLACE TABLE t (id INT) USING delta TBLPROPERTIES ({told})")
    t.log("t", 3)


def case_feed_of_columns_that_come_with_replaced_rows(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=FEED)
    more = rows(t, "(3, 'new', 1), (9, 'i', 2)", "id, v, x")
    options = {"replaceWhere": "id >= 3", "mergeSchema": "true"}
    save_table(t, "replaceWhere", more, "overwrite", **options)
    t.sql("SELECT * FROM t")
    feed(t, 3)
    t.log("t", 3)


def case_feed_of_columns_that_come_with_replaced_rows_and_vectors(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**FEED, **VECTORS})
    more = rows(t, "(3, 'new', 1), (9, 'i', 2)", "id, v, x")
    options = {"replaceWhere": "id >= 3", "mergeSchema": "true"}
    save_table(t, "replaceWhere", more, "overwrite", **options)
    feed(t, 3)
