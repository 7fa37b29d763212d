"""writeStream into Delta tables: statements, history, refusals."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parity.streaming import outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from tests.parity.recorder import Recorder

SCHEMA = "id BIGINT, v STRING"


def _put(t: Recorder, *rows: dict[str, Any], name: str = "in") -> None:
    """Add a file, which makes a batch of the stream."""
    folder = Path(t.folder(name))
    folder.mkdir(parents=True, exist_ok=True)
    number = len(list(folder.iterdir()))
    file = folder / f"{number:05}.json"
    file.write_text("\n".join(map(json.dumps, rows)))
    os.utime(file, (1_700_000_000 + number,) * 2)


def _stream(t: Recorder, schema: str = SCHEMA) -> DataFrame:
    reader = t.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    return reader.json(t.folder("in"))


def _writer(t: Recorder, frame: DataFrame | None = None, checkpoint: str = "c") -> DataStreamWriter:
    stream = _stream(t) if frame is None else frame
    writer = stream.writeStream.format("delta").trigger(availableNow=True)
    return writer.option("checkpointLocation", t.folder(checkpoint))


def _run(t: Recorder, label: str, start: Callable[[], Any]) -> None:
    """Run a query to its end and record that, or the condition that ended it."""
    t.value(label, lambda: outcome_of(start))


def _commits(t: Recorder, table: str) -> None:
    """Record what the history says, but the id of the query and the sizes of files."""

    def shown() -> list[str]:
        lines = []
        for row in t.spark.sql(f"DESCRIBE HISTORY {table}").collect():
            parameters = {k: v for k, v in row.operationParameters.items() if k != "queryId"}
            metrics = {k: v for k, v in row.operationMetrics.items() if not k.endswith("Bytes")}
            lines.append(
                f"{row.version} {row.operation} {sorted(parameters.items())} "
                f"{sorted(metrics.items())} {row.isBlindAppend} {row.isolationLevel} "
                f"{row.userMetadata}"
            )
        return lines

    t.rows(f"commits of {table}", shown)


def case_append_to_a_path(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    _put(t, {"id": 2, "v": "b"}, {"id": 3, "v": "c"})
    writer = _writer(t).option("userMetadata", "mine").partitionBy("v")
    _run(t, "start", lambda: writer.start(t.path))
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    _commits(t, f"delta.`{t.path}`")
    t.detail(f"delta.`{t.path}`")


def case_append_to_a_name(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    _run(t, "missing", lambda: _writer(t).partitionBy("v").toTable("t"))
    _put(t, {"id": 2, "v": "b"})
    _run(t, "existing", lambda: _writer(t).toTable("t"))
    t.sql("SELECT * FROM t")
    _commits(t, "t")
    t.detail("t")


def case_clustered_by_name(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    _run(t, "start", lambda: _writer(t).clusterBy("v").toTable("t"))
    t.detail("t")


def case_repeated_batch(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    _run(t, "start", lambda: _writer(t).start(t.path))
    for name in ("0", ".0.crc"):
        (Path(t.folder("c")) / "commits" / name).unlink(missing_ok=True)
    _run(t, "again", lambda: _writer(t).start(t.path))
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    _commits(t, f"delta.`{t.path}`")


def case_batch_without_rows(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    _put(t, {"id": -1, "v": "a"})
    _run(t, "start", lambda: _writer(t, _stream(t).where("id > 0")).start(t.path))
    _commits(t, f"delta.`{t.path}`")


def case_complete(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    _put(t, {"id": 2, "v": "a"}, {"id": 3, "v": "b"})
    counted = _stream(t).groupBy("v").count()
    _run(t, "start", lambda: _writer(t, counted).outputMode("complete").start(t.path))
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    _commits(t, f"delta.`{t.path}`")


def case_complete_over_another_schema(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS old")
    _put(t, {"id": 1, "v": "a"})
    counted = _stream(t).groupBy("v").count()
    plain = _writer(t, counted).outputMode("complete")
    _run(t, "keeping it", lambda: plain.toTable("t"))
    writer = _writer(t, counted, "c2").outputMode("complete").option("overwriteSchema", "true")
    _run(t, "replacing it", lambda: writer.partitionBy("v").toTable("t"))
    t.sql("SELECT * FROM t")
    t.detail("t")


def case_complete_and_append_only(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (v STRING, count BIGINT) USING delta "
        "TBLPROPERTIES (delta.appendOnly = true)"
    )
    _put(t, {"id": 1, "v": "a"})
    counted = _stream(t).groupBy("v").count()
    _run(t, "start", lambda: _writer(t, counted).outputMode("complete").toTable("t"))
    t.sql("SELECT * FROM t")


def case_output_modes_that_are_refused(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    counted = _stream(t).groupBy("v").count()
    t.attempt("update", lambda: _writer(t, counted).outputMode("update").start(t.path))
    t.attempt("append", lambda: _writer(t, counted).start(t.path))
    t.attempt("complete", lambda: _writer(t).outputMode("complete").start(t.path))
    t.attempt("no checkpoint", lambda: _stream(t).writeStream.format("delta").start(t.path))


def case_types_and_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (V INT, id INT, n INT, s STRUCT<a: BIGINT, b: INT>) USING delta")
    _put(t, {"id": 1, "v": "5", "s": {"a": 1}})
    frame = _stream(t, "id BIGINT, v STRING, s STRUCT<a: INT>")
    _run(t, "cast", lambda: _writer(t, frame).toTable("t"))
    t.sql("SELECT * FROM t")
    _put(t, {"id": 2, "v": "no number"})
    _run(t, "no number", lambda: _writer(t, frame).toTable("t"))
    extra = _stream(t, "id BIGINT, more STRING")
    _run(t, "another column", lambda: _writer(t, extra, "c2").toTable("t"))
    merging = _writer(t, extra, "c3").option("mergeSchema", "true")
    _run(t, "merged", lambda: merging.toTable("t"))
    t.sql("SELECT id, more FROM t")


def case_partitioning_that_differs(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT, v STRING) USING delta PARTITIONED BY (v)")
    _put(t, {"id": 1, "v": "a"})
    _run(t, "another", lambda: _writer(t).partitionBy("id").toTable("t"))
    _run(t, "the same", lambda: _writer(t, checkpoint="c2").partitionBy("v").toTable("t"))
    t.sql("SELECT * FROM t")


def case_columns_with_rules(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id BIGINT NOT NULL, twice BIGINT GENERATED ALWAYS AS (id * 2), "
        "d STRING DEFAULT 'none', n BIGINT GENERATED ALWAYS AS IDENTITY, c CHAR(3)) USING delta "
        "TBLPROPERTIES (delta.feature.allowColumnDefaults = 'supported')"
    )
    _put(t, {"id": 1, "c": "x"})
    frame = _stream(t, "id BIGINT, c STRING")
    _run(t, "computed", lambda: _writer(t, frame).toTable("t"))
    t.sql("SELECT * FROM t")
    _put(t, {"id": None, "c": "x"})
    _run(t, "null", lambda: _writer(t, frame).toTable("t"))
    given = _stream(t, "id BIGINT, n BIGINT")
    _run(t, "identity", lambda: _writer(t, given, "c2").toTable("t"))
    wrong = frame.selectExpr("coalesce(id, 5) AS id", "id + 1 AS twice")
    _run(t, "generated", lambda: _writer(t, wrong, "c3").toTable("t"))
    long = frame.selectExpr("coalesce(id, 5) AS id", "'toolong' AS c")
    _run(t, "length", lambda: _writer(t, long, "c4").toTable("t"))
    void = frame.selectExpr("coalesce(id, 5) AS id", "NULL AS c")
    _run(t, "void", lambda: _writer(t, void, "c5").toTable("t"))
    t.sql("SELECT id FROM t")


def case_options_that_select_rows_have_no_effect(t: Recorder) -> None:
    t.sql("CREATE TABLE t (v STRING, count BIGINT) USING delta")
    t.sql("INSERT INTO t VALUES ('old', 1)")
    _put(t, {"id": 1, "v": "a"})
    counted = _stream(t).groupBy("v").count()
    writer = _writer(t, counted).outputMode("complete").option("replaceWhere", "v = 'a'")
    _run(t, "start", lambda: writer.toTable("t"))
    t.sql("SELECT * FROM t")
    t.attempt(
        "bad value", lambda: _writer(t, checkpoint="c2").option("mergeSchema", "no").toTable("t")
    )


def case_targets_that_are_refused(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    t.sql("CREATE TABLE t (id BIGINT, v STRING) USING delta")
    t.sql("CREATE VIEW w AS SELECT * FROM t")
    t.sql("CREATE TABLE p (id BIGINT, v STRING) USING parquet")
    t.attempt("view", lambda: _writer(t).toTable("w"))
    t.attempt("parquet", lambda: _writer(t).toTable("p"))
    t.attempt("no path", lambda: _writer(t).start())


def case_batches_of_an_application(t: Recorder) -> None:
    _put(t, {"id": 1, "v": "a"})
    _put(t, {"id": 2, "v": "b"})

    def write(batch: DataFrame, number: int) -> None:
        numbered = batch.write.format("delta").mode("append").option("txnAppId", "mine")
        numbered.option("txnVersion", number).saveAsTable(f"{t.schema}.t")

    def query() -> Any:
        writer = _stream(t).writeStream.foreachBatch(write).trigger(availableNow=True)
        return writer.option("checkpointLocation", t.folder("c")).start()

    _run(t, "start", query)
    for name in ("1", ".1.crc"):
        (Path(t.folder("c")) / "commits" / name).unlink(missing_ok=True)
    _run(t, "again", query)
    t.sql("SELECT * FROM t")
    _commits(t, "t")
