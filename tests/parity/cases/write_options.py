"""Options of the writers that shape files and commits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.parity.saving import by_partition, file_count, load, rows, save, save_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder

ONE = "(1, 'a', 'x')"


def _many(t: Recorder, parts: int = 4) -> DataFrame:
    """Rows of four partitions, in each of the frame's own partitions."""
    return t.spark.range(0, 400, 1, parts).selectExpr(
        "CAST(id AS INT) AS id", "CAST(id % 7 AS STRING) AS v", "CAST(id % 4 AS STRING) AS p"
    )


def _count(t: Recorder, label: str) -> None:
    file_count(t, label, f"delta.`{t.path}`")


def case_option_records_per_file(t: Recorder) -> None:
    few = _many(t, 1)
    save(t, "option", few, maxRecordsPerFile="150")
    _count(t, "files")
    t.conf("spark.sql.files.maxRecordsPerFile", "100")
    save(t, "session", few)
    _count(t, "files of the session")
    save(t, "option beats the session", few, maxRecordsPerFile="300")
    _count(t, "files of both")
    save(t, "zero", few, maxRecordsPerFile="0")
    _count(t, "files of zero")
    save(t, "not a number", few, maxRecordsPerFile="many")
    save(t, "negative", few, maxRecordsPerFile="-5")
    _count(t, "files at last")


def case_option_compression(t: Recorder) -> None:
    def codecs() -> list[str]:
        files = Path(t.path).glob("*.parquet")
        return sorted({".".join(file.name.split(".")[1:]) for file in files})

    few = rows(t, ONE)
    for codec in ("gzip", "zstd", "none", "uncompressed", "GZIP", "nope"):
        save(t, codec, few, "append", compression=codec)
    t.conf("spark.sql.parquet.compression.codec", "gzip")
    save(t, "session", few, "append")
    t.value("names", codecs)
    load(t)


def case_option_user_metadata(t: Recorder) -> None:
    save(t, "create", rows(t, ONE), userMetadata="first")
    save(t, "append", rows(t, ONE), "append", userMetadata='{"a": 1}')
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "session")
    save(t, "both", rows(t, ONE), "append", userMetadata="option")
    save(t, "session", rows(t, ONE), "append")
    save(t, "empty", rows(t, ONE), "append", userMetadata="")
    t.history(f"delta.`{t.path}`")


def case_option_application(t: Recorder) -> None:
    def append(label: str, mode: str = "append", **options: str) -> None:
        save(t, label, rows(t, ONE), mode, **options)

    append("create", txnAppId="app", txnVersion="5")
    append("same", txnAppId="app", txnVersion="5")
    append("older", txnAppId="app", txnVersion="4")
    append("newer", txnAppId="app", txnVersion="6")
    append("other", txnAppId="other", txnVersion="1")
    append("overwrite, older", "overwrite", txnAppId="app", txnVersion="6")
    append("overwrite, newer", "overwrite", txnAppId="app", txnVersion="7")
    append("no version", txnAppId="app")
    append("no id", txnVersion="8")
    append("text", txnAppId="app", txnVersion="eight")
    append("negative", txnAppId="app", txnVersion="-8")
    append("fraction", txnAppId="app", txnVersion="8.5")
    append("empty id", txnAppId="", txnVersion="8")
    append("too big", txnAppId="app", txnVersion="9223372036854775808")
    load(t)
    t.log(t.path)


def case_option_data_change(t: Recorder) -> None:
    by_partition(t)
    same = t.spark.read.format("delta").load(t.path)
    save(t, "append", rows(t, ONE), "append", dataChange="false")
    save(t, "overwrite with itself", same.coalesce(1), dataChange="false")
    grown = t.spark.sql("SELECT 1 AS id, 'a' AS v, 'x' AS p, 1 AS extra")
    save(t, "new column", grown, "append", dataChange="false", mergeSchema="true")
    save(t, "new schema", grown, dataChange="false", overwriteSchema="true")
    save(t, "not a flag", rows(t, ONE), "append", dataChange="maybe")
    save(t, "true", rows(t, ONE), "append", dataChange="true")
    load(t)
    t.log(t.path, 3)
    t.history(f"delta.`{t.path}`")


def case_option_data_change_on_nothing(t: Recorder) -> None:
    save(t, "create", rows(t, ONE), dataChange="false")
    save_table(t, "create a table", rows(t, ONE), dataChange="false")
    load(t)


def case_option_data_change_on_a_growing_table(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING) USING delta "
        "TBLPROPERTIES ('delta.appendOnly' = 'true')"
    )
    save_table(t, "append", rows(t, ONE), "append", dataChange="false")
    t.attempt(
        "rearrange",
        lambda: (
            t.spark.table("t")
            .write.mode("overwrite")
            .format("delta")
            .option("dataChange", "false")
            .save(str(t.place("t")))
        ),
    )
    t.sql("SELECT * FROM t")
    t.history("t")


def _written(t: Recorder, label: str, **options: str) -> None:
    """Overwrite with rows of four partitions from four tasks, and count the files."""
    frame = _many(t)
    t.attempt(
        label,
        lambda: (
            frame.write.format("delta")
            .mode("overwrite")
            .partitionBy("p")
            .options(**options)
            .save(t.path)
        ),
    )
    _count(t, f"files: {label}")


def case_option_optimize_write(t: Recorder) -> None:
    _written(t, "plain")
    _written(t, "option", optimizeWrite="true")
    _written(t, "option off", optimizeWrite="false")
    _written(t, "no flag", optimizeWrite="maybe")
    load_count = t.spark.read.format("delta").load(t.path)
    t.show("rows", load_count.groupBy("p").count())
    t.history(f"delta.`{t.path}`")


def case_option_optimize_write_of_session_and_table(t: Recorder) -> None:
    key = "spark.databricks.delta.optimizeWrite.enabled"
    _written(t, "plain")
    t.conf(key, "true")
    _written(t, "session")
    _written(t, "option beats the session", optimizeWrite="false")
    name = f"delta.`{t.path}`"
    t.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'true')")
    t.conf(key, "false")
    _written(t, "session beats the table")


def case_option_optimize_write_of_table(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING) USING delta PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'true')"
    )
    _many(t).createOrReplaceTempView("many")
    t.sql("INSERT INTO t SELECT * FROM many")
    file_count(t, "files", "t")
    t.sql(
        "CREATE TABLE u (id INT, v STRING, p STRING) USING delta "
        "TBLPROPERTIES ('delta.autoOptimize' = 'true')"
    )
    t.sql("INSERT INTO u SELECT * FROM many")
    file_count(t, "files of u", "u")
    t.sql("SELECT count(*), sum(id) FROM t")


def case_option_write_partition_columns(t: Recorder) -> None:
    def columns() -> list[str]:
        found = sorted(Path(t.path).rglob("*.parquet"))
        return sorted({str(t.spark.read.parquet(str(file)).columns) for file in found})

    frame = rows(t, "(1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', CAST(NULL AS STRING))")
    writer = frame.write.format("delta").partitionBy("p")
    t.attempt("write", lambda: writer.option("writePartitionColumns", "true").save(t.path))
    t.value("columns", columns)
    load(t)
    t.log(t.path)


def case_option_flags_that_are_none(t: Recorder) -> None:
    save(t, "create", rows(t, ONE))
    for name in ("mergeSchema", "overwriteSchema", "dataChange", "optimizeWrite"):
        save(t, name, rows(t, ONE), "overwrite", **{name: "maybe"})
        save(t, f"{name} append", rows(t, ONE), "append", **{name: "maybe"})
        save(t, f"{name} upper case", rows(t, ONE), "append", **{name.upper(): "TRUE"})
    save(t, "unknown option", rows(t, ONE), "append", nope="maybe")
    load(t)
