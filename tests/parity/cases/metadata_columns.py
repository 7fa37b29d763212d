"""The hidden columns of files: `_metadata`, input_file_name() and input_file_block_*()."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

# A file's folder below the table; names of files are random.
BELOW = "regexp_extract({}, '/t/(.*)part-', 1)"


def _one_file(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id BIGINT, s STRING) USING delta")
    t.spark.sql("INSERT INTO t SELECT /*+ REPARTITION(1) */ id, 's' || id FROM range(5)")


def case_metadata_fields(t: Recorder) -> None:
    _one_file(t)
    t.sql("""SELECT DISTINCT _metadata.file_block_start AS s,
        _metadata.file_block_length = _metadata.file_size AS whole,
        _metadata.file_path LIKE concat('%/', _metadata.file_name) AS named FROM t""")
    t.sql("SELECT DISTINCT _metadata.file_path LIKE 'file:///%' AS uri FROM t")
    t.sql("SELECT id FROM t WHERE _metadata.file_size > 0 AND id > 3")
    t.sql("SELECT _metadata.nope FROM t")
    t.sql("SELECT _metadata.row_id FROM t")


def case_metadata_type(t: Recorder) -> None:
    _one_file(t)
    t.show("type", lambda: t.spark.sql("SELECT _metadata FROM t LIMIT 0"))
    t.sql("SELECT id, _metadata.row_index FROM t")
    t.sql("SELECT id FROM t WHERE _metadata.row_index = 2")


def case_metadata_tells_the_truth(t: Recorder) -> None:
    _one_file(t)
    file = next(t.place("t").glob("part-*"))
    row = t.spark.sql("SELECT _metadata AS m FROM t").first().m
    t.value("name", lambda: row.file_name == file.name)
    t.value("size", lambda: row.file_size == file.stat().st_size)
    time = row.file_modification_time.timestamp()
    t.value("time", lambda: abs(time - file.stat().st_mtime) < 0.01)
    os.utime(file, (1_600_000_000, 1_600_000_000))
    t.sql("""SELECT DISTINCT _metadata.file_modification_time > TIMESTAMP'2024-01-01' AS logged
        FROM t""")
    t.value("path", lambda: row.file_path.removeprefix("file:").lstrip("/") == str(file)[1:])


def case_metadata_of_partitions(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.spark.sql("""INSERT INTO t VALUES (1, 'a b'), (2, 'x=y'), (3, 'a%b'), (4, 'a/b'), (5, 'ü'),
        (6, 'a+b'), (7, '#?&'), (8, NULL), (9, "it's"), (10, 'a:b'), (11, '{x}'), (12, 'a\\\\b')""")
    t.sql(f"SELECT id, {BELOW.format('_metadata.file_path')} AS f FROM t")
    t.sql(f"SELECT id, {BELOW.format('input_file_name()')} AS f FROM t")
    t.sql("SELECT id, p FROM t WHERE _metadata.file_path LIKE '%p=a%'")
    t.sql("SELECT p, count(*) AS n, count(DISTINCT _metadata.file_name) AS f FROM t GROUP BY p")


def case_metadata_in_queries(t: Recorder) -> None:
    _one_file(t)
    t.sql("""SELECT a.id, a._metadata.file_block_start AS ra, b._metadata.file_block_length > 9
        AS rb FROM t a JOIN t b ON a.id = b.id + 1""")
    t.sql("SELECT max(_metadata.file_block_start) AS m FROM t GROUP BY _metadata.file_name")
    t.sql("SELECT id FROM t WHERE id = (SELECT max(_metadata.file_block_start) FROM t)")
    t.sql("SELECT id, file_block_start AS s FROM (SELECT id, _metadata.file_block_start FROM t)")
    t.sql("SELECT id FROM t ORDER BY _metadata.file_name, id DESC LIMIT 2")
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("SELECT _metadata.file_size FROM v")
    t.sql("CREATE VIEW w AS SELECT id, _metadata.file_block_start AS r FROM t")
    t.sql("SELECT * FROM w WHERE r < 1")
    t.sql("SELECT id, _metadata.file_block_start AS r FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM t WHERE id = 1")


def case_metadata_of_frames(t: Recorder) -> None:
    _one_file(t)
    loaded = t.spark.read.format("delta").load(str(t.place("t")))
    t.show("select", lambda: loaded.select("id", "_metadata.file_block_start"))
    t.show("column", lambda: loaded.select(loaded.metadataColumn("_metadata").file_block_start))
    t.show("star", lambda: loaded.select("*", "_metadata.file_block_start"))
    t.show(
        "after a filter", lambda: loaded.where("id > 2").select("id", "_metadata.file_block_start")
    )
    t.show("after a select", lambda: loaded.select("id").select("_metadata.file_block_start"))
    t.value("columns", lambda: loaded.columns)
    t.attempt(
        "copied",
        lambda: (
            loaded.select("id", "_metadata.file_block_start")
            .write.format("delta")
            .save(t.folder("copy"))
        ),
    )
    t.show("copy", lambda: t.spark.read.format("delta").load(t.folder("copy")))


def case_metadata_hidden_by_a_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t (_metadata STRUCT<file_block_start: STRING>, id INT) USING delta")
    t.sql("INSERT INTO t VALUES (named_struct('file_block_start', 'mine'), 1)")
    t.sql("SELECT _metadata.file_block_start FROM t")
    t.show(
        "both",
        lambda: t.spark.table("t").select(
            "_metadata.file_block_start",
            t.spark.table("t").metadataColumn("_metadata").file_size > 0,
        ),
    )
    t.sql("CREATE TABLE u (file_size INT, file_path STRING) USING delta")
    t.sql("INSERT INTO u VALUES (7, 'mine')")
    t.sql("SELECT file_size, file_path, _metadata.file_block_start AS r FROM u")


def case_metadata_functions(t: Recorder) -> None:
    _one_file(t)
    t.sql("""SELECT DISTINCT input_file_name() = _metadata.file_path AS same,
        input_file_block_start() AS s, input_file_block_length() = _metadata.file_size AS l
        FROM t""")
    t.sql("SELECT input_file_name() AS n FROM range(1)")
    t.sql("SELECT count(*) AS n FROM t WHERE input_file_name() LIKE '%.parquet'")
    t.sql("SELECT input_file_name() AS n FROM t a JOIN t b ON a.id = b.id")
    t.sql("SELECT count(DISTINCT input_file_name()) AS n FROM t")


def case_metadata_of_many_files(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id BIGINT, p BIGINT) USING delta PARTITIONED BY (p)")
    for start in (0, 10):
        rows = f"range({start}, {start + 6})"
        t.spark.sql(f"INSERT INTO t SELECT /*+ REPARTITION(1) */ id, id % 2 FROM {rows}")
    t.sql("SELECT id, _metadata.file_block_start AS r FROM t")
    t.sql("SELECT id, _metadata.file_block_start AS r FROM t WHERE p = 1 AND id > 2")
    t.sql("""SELECT p, count(*) AS n FROM (SELECT p, _metadata.file_path AS f FROM t GROUP BY ALL)
        GROUP BY p""")
