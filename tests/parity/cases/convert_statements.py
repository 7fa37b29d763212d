"""CONVERT TO DELTA of a path: its clauses, what it makes, and what it refuses."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.parity.convert_sources import files, partitioned, shown

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

DEFAULTS = "spark.databricks.delta.properties.defaults."


def case_convert_path_with_its_history(t: Recorder) -> None:
    files(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    shown(t, f"delta.`{t.path}`")
    t.detail(f"delta.`{t.path}`")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (10, 11)")
    t.sql(f"SELECT * FROM delta.`{t.path}` WHERE id > 3 ORDER BY id")
    t.sql(f"SELECT count(*) FROM delta.`{t.path}` VERSION AS OF 0")
    t.history(f"delta.`{t.path}`")


def case_convert_path_with_partitions(t: Recorder) -> None:
    partitioned(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q STRING, p INT)")
    shown(t, f"delta.`{t.path}`")
    t.detail(f"delta.`{t.path}`")
    t.sql(f"SELECT id FROM delta.`{t.path}` WHERE p = 1 AND q = 'a' ORDER BY id")


def case_convert_without_statistics(t: Recorder) -> None:
    partitioned(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` NO STATISTICS PARTITIONED BY (q STRING, p INT)")
    shown(t, f"delta.`{t.path}`")
    t.sql(f"SELECT count(*), max(id) FROM delta.`{t.path}` WHERE id > 3")


def case_convert_with_statistics_off_in_the_session(t: Recorder) -> None:
    files(t)
    t.conf("spark.databricks.delta.stats.collect", "false")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    shown(t, f"delta.`{t.path}`")


def case_convert_clauses_in_any_letters(t: Recorder) -> None:
    for number, clauses in enumerate(
        (
            "convert to delta parquet.`{}`",
            "CONVERT /* to what? */ TO\n DELTA -- ours\n Parquet.`{}` ;",
            "CONVERT TO DELTA PARQUET.`{}` No Statistics",
            "CONVERT TO DELTA `parquet`.`{}`",
            "  CONVERT\tTO DELTA parquet . `{}`  ",
        )
    ):
        place = files(t, place=t.folder(f"t{number}"))
        t.sql(clauses.format(place))
        t.history(f"delta.`{place}`")


def case_convert_clauses_that_cannot_be_read(t: Recorder) -> None:
    partitioned(t)
    for clauses in (
        "PARTITIONED BY (q STRING, p INT) NO STATISTICS",
        "PARTITIONED BY ()",
        "PARTITIONED BY (q, p)",
        "PARTITIONED BY q STRING, p INT",
        "PARTITIONED BY (q STRING p INT)",
        "NO STATISTIC",
        "STATISTICS",
        "PARTITIONED BY (q STRING, p INT) LOCATION 'x'",
        "AS SELECT 1",
        "VERSION AS OF 1",
    ):
        t.sql(f"CONVERT TO DELTA parquet.`{t.path}` {clauses}")
    t.sql("CONVERT TO DELTA")
    t.sql("CONVERT TO")
    t.sql(f"CONVERT TO PARQUET delta.`{t.path}`")
    t.sql(f"CONVERT DELTA parquet.`{t.path}`")
    t.sql(f"CONVERT TO DELTA '{t.path}'")
    t.sql(f"CONVERT TO DELTA TABLE parquet.`{t.path}`")
    t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))


def case_convert_partition_types_of_a_clause(t: Recorder) -> None:
    query = "SELECT 1 AS id, CAST({} AS {}) AS p"
    for number, (value, kind, said) in enumerate(
        (
            ("true", "BOOLEAN", "boolean"),
            ("1", "INT", "TINYINT"),
            ("1", "INT", "BYTE"),
            ("1", "INT", "smallint"),
            ("1", "INT", "short"),
            ("1", "INT", "integer"),
            ("1", "INT", "long"),
            ("1.5", "DOUBLE", "FLOAT"),
            ("1.5", "DOUBLE", "double"),
            ("'2024-02-29'", "DATE", "date"),
            ("'2024-02-29 01:02:03'", "TIMESTAMP", "timestamp"),
            ("'2024-02-29 01:02:03'", "TIMESTAMP", "string"),
            ("'ab'", "STRING", "char(2)"),
            ("'ab'", "STRING", "varchar(3)"),
            ("'ab'", "STRING", "binary"),
            ("1.5", "DECIMAL(3,1)", "decimal"),
            ("15", "INT", "decimal(4)"),
            ("1.5", "DECIMAL(3,1)", "DECIMAL(5,2)"),
        )
    ):
        place = files(t, query.format(value, kind), "p", place=t.folder(f"t{number}"))
        t.sql(f"CONVERT TO DELTA parquet.`{place}` PARTITIONED BY (p {said})")
        t.sql(f"SELECT * FROM delta.`{place}`")
        t.log(place)


def case_convert_partition_types_that_are_refused(t: Recorder) -> None:
    files(t, "SELECT 1 AS id, 1 AS p", "p")
    for said in (
        "p INTERVAL",
        "p INTERVAL DAY",
        "p ARRAY<INT>",
        "p STRUCT<a: INT>",
        "p MAP<INT, INT>",
        "p VARIANT",
        "p TIMESTAMP_NTZ",
        "p VOID",
        "p NUMBER",
        "p DECIMAL(40, 2)",
        "p DECIMAL(4, 5)",
        "p VARCHAR",
        "p VARCHAR(0)",
        "p INT(4)",
        "p STRING COLLATE UNICODE",
        "p.q INT",
        "p INT DEFAULT 1",
        "p INT GENERATED ALWAYS AS (1)",
        "days(p)",
    ):
        t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY ({said})")
    t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))


def case_convert_partition_columns_with_more_words(t: Recorder) -> None:
    for number, said in enumerate(
        (
            "p INT NOT NULL",
            "p INT COMMENT 'the part'",
            "p INT NOT NULL COMMENT 'the part'",
            "p: INT",
            "p : INT NOT NULL COMMENT 'a' 'b'",
            "`p` int",
            "P INT",
        )
    ):
        place = files(t, "SELECT 1 AS id, 1 AS p", "p", place=t.folder(f"t{number}"))
        t.sql(f"CONVERT TO DELTA parquet.`{place}` PARTITIONED BY ({said})")
        t.log(place)


def case_convert_not_null_partitions_with_nulls(t: Recorder) -> None:
    files(t, "SELECT id, IF(id > 1, NULL, id) AS p FROM range(3)", "p")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (p INT NOT NULL)")
    t.sql(f"SELECT * FROM delta.`{t.path}` ORDER BY id")
    t.log(t.path)


def case_convert_partition_columns_twice(t: Recorder) -> None:
    partitioned(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (p INT, p INT)")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (p INT, P INT)")


def case_convert_names_of_more_parts(t: Recorder) -> None:
    files(t)
    t.sql(f"CONVERT TO DELTA spark_catalog.parquet.`{t.path}`")
    t.sql(f"CONVERT TO DELTA a.b.c.`{t.path}`")
    t.sql(f"CONVERT TO DELTA `{t.path}`")
    t.sql(f"CONVERT TO DELTA `parquet.{t.path}`")
    t.sql("CONVERT TO DELTA parquet.`some/relative/path`")
    t.sql("CONVERT TO DELTA parquet.t")
    t.sql("CONVERT TO DELTA parquet.``")


def case_convert_sources_that_are_not_parquet(t: Recorder) -> None:
    rows = t.spark.sql("SELECT 1 AS id").coalesce(1)
    for kind in ("csv", "json", "orc"):
        place = t.folder(kind)
        rows.write.format(kind).save(place)
        t.sql(f"CONVERT TO DELTA {kind}.`{place}`")
        t.sql(f"CONVERT TO DELTA parquet.`{place}`")
    t.sql(f"CONVERT TO DELTA csv.`{t.folder('nothing')}`")
    t.sql(f"CONVERT TO DELTA nonsense.`{t.folder('csv')}`")


def case_convert_places_without_files(t: Recorder) -> None:
    t.sql(f"CONVERT TO DELTA parquet.`{t.folder('nothing')}`")
    Path(t.folder("empty")).mkdir()
    t.sql(f"CONVERT TO DELTA parquet.`{t.folder('empty')}`")
    hidden = Path(files(t, place=t.folder("hidden")))
    for file in [*hidden.iterdir()]:
        file.rename(file.with_name("_" + file.name))
    t.sql(f"CONVERT TO DELTA parquet.`{hidden}`")
    one = next(Path(files(t)).glob("part-*"))
    t.attempt("one file", lambda: t.spark.sql(f"CONVERT TO DELTA parquet.`{one}`"))


def case_convert_what_is_delta_already(t: Recorder) -> None:
    t.spark.range(2).write.format("delta").save(t.path)
    t.sql(f"CONVERT TO DELTA delta.`{t.path}`")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` NO STATISTICS PARTITIONED BY (x INT)")
    t.history(f"delta.`{t.path}`")
    t.sql(f"CONVERT TO DELTA delta.`{t.folder('nothing')}`")
    plain = files(t, place=t.folder("plain"))
    t.sql(f"CONVERT TO DELTA delta.`{plain}`")
    t.value("plain converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, plain))


def case_convert_twice(t: Recorder) -> None:
    files(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.history(f"delta.`{t.path}`")


def case_convert_paths_in_other_words(t: Recorder) -> None:
    for number, form in enumerate(("file:{}", "file://{}", "{}/", "{}/../t3")):
        place = files(t, place=t.folder(f"t{number}"))
        t.sql(f"CONVERT TO DELTA parquet.`{form.format(place)}`")
        t.history(f"delta.`{place}`")
    odd = files(t, place=t.folder("with blank, %25 and ü+=x"))
    t.sql(f"CONVERT TO DELTA parquet.`{odd}`")
    t.sql(f"SELECT count(*) FROM delta.`{odd}`")


def case_convert_wrong_partition_counts(t: Recorder) -> None:
    partitioned(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q STRING)")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q STRING, p INT, r INT)")
    plain = files(t, place=t.folder("plain"))
    t.sql(f"CONVERT TO DELTA parquet.`{plain}` PARTITIONED BY (id INT)")
    t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))


def case_convert_wrong_partition_names(t: Recorder) -> None:
    partitioned(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q STRING, r INT)")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (p STRING, q STRING)")


def case_convert_partition_values_of_another_type(t: Recorder) -> None:
    partitioned(t)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q INT, p INT)")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q STRING, p DATE)")
    t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))
    t.conf("spark.databricks.delta.convert.partitionValues.ignoreCastFailure", "true")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q INT, p INT)")
    shown(t, f"delta.`{t.path}`")


def case_convert_properties_by_default(t: Recorder) -> None:
    files(t)
    for key, value in (
        ("appendOnly", "true"),
        ("checkpointInterval", "3"),
        ("enableDeletionVectors", "true"),
        ("enableInCommitTimestamps", "true"),
        ("minReaderVersion", "1"),
    ):
        t.conf(DEFAULTS + key, value)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    shown(t, f"delta.`{t.path}`")


def case_convert_with_column_mapping_by_default(t: Recorder) -> None:
    files(t)
    for mode in ("name", "id", "none"):
        t.conf(DEFAULTS + "columnMapping.mode", mode)
        t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
        t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))
    t.log(t.path)


def case_convert_with_row_tracking_by_default(t: Recorder) -> None:
    files(t)
    t.conf(DEFAULTS + "enableRowTracking", "true")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` NO STATISTICS")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    shown(t, f"delta.`{t.path}`")


def case_convert_with_row_tracking_supported_by_default(t: Recorder) -> None:
    files(t)
    t.conf(DEFAULTS + "feature.rowTracking", "supported")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` NO STATISTICS")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    shown(t, f"delta.`{t.path}`")


def case_convert_with_user_metadata(t: Recorder) -> None:
    files(t)
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "from the lake")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.history(f"delta.`{t.path}`")


def case_convert_with_a_variable(t: Recorder) -> None:
    files(t)
    t.conf("the.place", t.path)
    t.sql("CONVERT TO DELTA parquet.`${the.place}`")
    t.history(f"delta.`{t.path}`")


def case_convert_explained(t: Recorder) -> None:
    files(t)
    t.attempt("EXPLAIN", lambda: t.spark.sql(f"EXPLAIN CONVERT TO DELTA parquet.`{t.path}`"))
    t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))


def case_convert_below_a_delta_table(t: Recorder) -> None:
    t.spark.sql("SELECT id, id % 2 AS p FROM range(4)").write.partitionBy("p").format("delta").save(
        t.path
    )
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}/p=1`")
    t.history(f"delta.`{t.path}`")
    t.value("log below", lambda: Path(t.path, "p=1", "_delta_log").exists())


def case_convert_above_a_delta_table(t: Recorder) -> None:
    files(t)
    t.spark.range(2).write.format("delta").save(f"{t.path}/inner")
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.sql(f"SELECT * FROM delta.`{t.path}` ORDER BY 1, 2")


def case_convert_with_an_empty_log_folder(t: Recorder) -> None:
    files(t)
    Path(t.path, "_delta_log").mkdir()
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.history(f"delta.`{t.path}`")


def case_convert_what_structured_streaming_wrote(t: Recorder) -> None:
    source = files(t, place=t.folder("source"))
    stream = t.spark.readStream.schema("id BIGINT, v BIGINT").parquet(source)
    query = stream.writeStream.format("parquet").trigger(availableNow=True)
    query.option("checkpointLocation", t.folder("marks")).start(t.path).awaitTermination()
    stray = files(t, "SELECT 100L AS id, 100L AS v", place=t.folder("stray"))
    for file in Path(stray).glob("part-*"):
        shutil.copy(file, t.path)
    copy = t.folder("copy")
    shutil.copytree(t.path, copy)
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}`")
    t.sql(f"SELECT * FROM delta.`{t.path}` ORDER BY 1")
    t.conf("spark.databricks.delta.convert.useMetadataLog", "false")
    t.sql(f"CONVERT TO DELTA parquet.`{copy}`")
    t.sql(f"SELECT * FROM delta.`{copy}` ORDER BY 1")


def case_convert_then_all_that_tables_can_do(t: Recorder) -> None:
    partitioned(t)
    name = f"delta.`{t.path}`"
    t.sql(f"CONVERT TO DELTA parquet.`{t.path}` PARTITIONED BY (q STRING, p INT)")
    t.sql(f"ALTER TABLE {name} ADD CONSTRAINT small CHECK (id < 100)")
    t.sql(f"INSERT INTO {name} VALUES (500, 'a', 1)")
    t.sql(f"ALTER TABLE {name} ADD COLUMNS (note STRING)")
    t.sql(f"INSERT INTO {name} (id, q, p, note) VALUES (50, 'a', 1, 'new')")
    t.sql(f"SELECT * FROM {name} WHERE p = 1 ORDER BY 1")
    t.sql(f"ALTER TABLE {name} DROP CONSTRAINT small")
    t.sql(
        f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name',"
        " 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
    )
    t.sql(f"ALTER TABLE {name} RENAME COLUMN id TO number")
    t.sql(f"SELECT number, note FROM {name} WHERE p = 1 ORDER BY 1")
    t.sql(f"SELECT id FROM {name} VERSION AS OF 0 WHERE p = 1 ORDER BY 1")
    t.history(name)
