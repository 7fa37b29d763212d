"""CONVERT TO DELTA of tables of the catalog: what counts of the entry, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.convert_sources import files, partitioned, shown

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def entry(t: Recorder, table: str) -> None:
    """Record what the catalog says of a table."""

    def lines() -> list[str]:
        rows = t.spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
        told = {row.col_name: row.data_type for row in rows}
        keys = ("Type", "Provider", "Location", "Comment", "Table Properties", "Partition Provider")
        return [f"{key}: {told.get(key)}" for key in keys]

    t.rows(f"ENTRY {table}", lines)


def case_convert_managed_table(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT, name STRING) USING parquet")
    t.sql("INSERT INTO c VALUES (1, 'a'), (2, 'b')")
    t.sql("CONVERT TO DELTA c")
    shown(t, "c")
    t.detail("c")
    entry(t, "c")
    t.sql("INSERT INTO c VALUES (3, 'c')")
    t.sql("SELECT * FROM c ORDER BY id")
    t.sql("DROP TABLE c")
    t.value("files left", lambda: t.place("c").exists())


def case_convert_external_table(t: Recorder) -> None:
    files(t)
    t.sql(f"CREATE TABLE c (id BIGINT, v BIGINT) USING parquet LOCATION '{t.path}'")
    t.sql("CONVERT TO DELTA c")
    entry(t, "c")
    t.sql("SELECT * FROM c ORDER BY id")
    t.history(f"delta.`{t.path}`")
    t.sql("DROP TABLE c")
    t.sql(f"SELECT count(*) FROM delta.`{t.path}`")


def case_convert_partitioned_table(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT, p INT, q STRING) USING parquet PARTITIONED BY (p, q)")
    t.sql("INSERT INTO c VALUES (1, 1, 'a'), (2, 2, 'b'), (4, 4, 'x y/z=1%')")
    t.sql("CONVERT TO DELTA c")
    shown(t, "c")
    t.detail("c")
    entry(t, "c")
    t.sql("INSERT INTO c VALUES (5, 5, 'e')")
    t.sql("SELECT * FROM c WHERE p > 3 ORDER BY id")


def case_convert_partitioned_table_with_nulls(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT, p INT, q STRING) USING parquet PARTITIONED BY (p, q)")
    t.sql("INSERT INTO c VALUES (1, 1, 'a'), (3, NULL, NULL)")
    t.sql("CONVERT TO DELTA c")
    t.log("c")
    t.sql("SELECT * FROM c ORDER BY id")
    t.sql("SELECT id FROM c WHERE p IS NULL AND q IS NULL")


def case_convert_partitioned_table_with_a_clause(t: Recorder) -> None:
    for number, clause in enumerate(
        (
            "(p INT, q STRING)",
            "(P int, Q string)",
            "(q STRING, p INT)",
            "(p BIGINT, q STRING)",
            "(p INT)",
            "(p INT NOT NULL, q STRING COMMENT 'x')",
        )
    ):
        t.sql(
            f"CREATE TABLE c{number} (id INT, p INT, q STRING) USING parquet PARTITIONED BY (p, q)"
        )
        t.sql(f"INSERT INTO c{number} VALUES (1, 1, 'a')")
        t.sql(f"CONVERT TO DELTA c{number} PARTITIONED BY {clause}")
        t.history(f"c{number}")
        t.log(f"c{number}")


def case_convert_unpartitioned_table_with_a_clause(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT, p INT) USING parquet")
    t.sql("INSERT INTO c VALUES (1, 1)")
    t.sql("CONVERT TO DELTA c PARTITIONED BY (p INT)")
    entry(t, "c")


def case_convert_table_with_properties(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE c (id INT) USING parquet COMMENT 'the table' TBLPROPERTIES ('a' = 'b',"
        " 'delta.appendOnly' = 'true', 'delta.checkpointInterval' = '5',"
        " 'DELTA.logRetentionDuration' = '31 days')"
    )
    t.sql("INSERT INTO c VALUES (1)")
    t.sql("CONVERT TO DELTA c")
    shown(t, "c", by="1")
    entry(t, "c")
    t.sql("SHOW TBLPROPERTIES c")


def case_convert_table_with_wrong_properties(t: Recorder) -> None:
    for number, said in enumerate(
        (
            "'delta.nonsense' = '1'",
            "'delta.checkpointInterval' = 'x'",
            "'delta.columnMapping.mode' = 'name'",
            "'delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '4'",
            "'delta.feature.deletionVectors' = 'supported'",
            "'delta.enableChangeDataFeed' = 'true'",
            "'delta.constraints.small' = 'id < 5'",
            "'delta.constraints.large' = 'id > 5'",
        )
    ):
        t.sql(f"CREATE TABLE c{number} (id INT) USING parquet TBLPROPERTIES ({said})")
        t.sql(f"INSERT INTO c{number} VALUES (1)")
        t.sql(f"CONVERT TO DELTA c{number}")
        t.log(f"c{number}")
        entry(t, f"c{number}")


def case_convert_table_with_comments(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE c (id INT COMMENT 'key', s STRUCT<a: INT COMMENT 'inner'>, p INT COMMENT"
        " 'part') USING parquet PARTITIONED BY (p) COMMENT 'the table'"
    )
    t.sql("INSERT INTO c VALUES (1, struct(2), 3)")
    t.sql("CONVERT TO DELTA c")
    t.sql("DESCRIBE TABLE c")
    t.log("c")


def case_convert_table_with_a_rich_schema(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE c (id INT NOT NULL, v VARCHAR(5), h CHAR(3), d DECIMAL(5,2), b BINARY,"
        " ts TIMESTAMP, n TIMESTAMP_NTZ, a ARRAY<STRUCT<x: INT>>, m MAP<STRING, INT>) USING parquet"
    )
    t.sql(
        "INSERT INTO c VALUES (1, 'ab', 'c', 1.25, X'00', TIMESTAMP'2024-02-29 01:02:03Z',"
        " TIMESTAMP_NTZ'2024-02-29 01:02:03', array(struct(1)), map('a', 1))"
    )
    t.sql("CONVERT TO DELTA c")
    t.sql("SELECT * FROM c")
    t.log("c")
    t.sql("DESCRIBE TABLE c")


def case_convert_table_with_defaults(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT, v INT DEFAULT 7) USING parquet")
    t.sql("INSERT INTO c (id) VALUES (1)")
    t.sql("CONVERT TO DELTA c")
    t.log("c")
    t.sql("INSERT INTO c (id) VALUES (2)")
    t.sql("SELECT * FROM c ORDER BY id")


def case_convert_table_whose_columns_are_not_those_of_the_files(t: Recorder) -> None:
    declared = {
        "fewer": "id BIGINT",
        "more": "id BIGINT, v BIGINT, w STRING",
        "other_order": "v BIGINT, id BIGINT",
        "letters": "ID BIGINT, V BIGINT",
        "narrower": "id INT, v BIGINT",
        "other_type": "id STRING, v BIGINT",
    }
    for name, columns in declared.items():
        place = files(t, place=t.folder(name))
        t.sql(f"CREATE TABLE {name} ({columns}) USING parquet LOCATION '{place}'")
        t.sql(f"CONVERT TO DELTA {name}")
        t.log(place)
        t.sql(f"SELECT count(*) FROM {name}")


def case_convert_table_without_its_catalog_schema(t: Recorder) -> None:
    t.conf("spark.databricks.delta.convert.useCatalogSchema", "false")
    declared = {
        "fewer": "id BIGINT",
        "more": "id BIGINT, v BIGINT, w STRING",
        "letters": "ID BIGINT, V BIGINT COMMENT 'value'",
    }
    for name, columns in declared.items():
        place = files(t, place=t.folder(name))
        t.sql(f"CREATE TABLE {name} ({columns}) USING parquet LOCATION '{place}'")
        t.sql(f"CONVERT TO DELTA {name}")
        t.log(place)
        t.sql(f"SELECT count(*) FROM {name}")


def case_convert_table_whose_partitions_nobody_told_of(t: Recorder) -> None:
    place = partitioned(t)
    columns = "(id BIGINT, q STRING, p INT) USING parquet PARTITIONED BY (q, p)"
    t.sql(f"CREATE TABLE c {columns} LOCATION '{place}'")
    t.sql("CONVERT TO DELTA c")
    t.history("c")
    t.conf("spark.databricks.delta.convert.useCatalogPartitions", "false")
    t.sql("CONVERT TO DELTA c")
    shown(t, f"delta.`{place}`")


def case_convert_table_with_some_partitions(t: Recorder) -> None:
    place = partitioned(t)
    columns = "(id BIGINT, q STRING, p INT) USING parquet PARTITIONED BY (q, p)"
    t.sql(f"CREATE TABLE c {columns} LOCATION '{place}'")
    t.sql("ALTER TABLE c ADD PARTITION (q = 'a', p = 1)")
    t.sql("ALTER TABLE c ADD PARTITION (q = 'b', p = 7)")
    t.sql("CONVERT TO DELTA c")
    shown(t, "c")
    t.log(place)


def case_convert_table_with_partitions_elsewhere(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id BIGINT, v BIGINT, p INT) USING parquet PARTITIONED BY (p)")
    t.sql("INSERT INTO c VALUES (1, 2, 1)")
    other = files(t, place=t.folder("elsewhere"))
    t.sql(f"ALTER TABLE c ADD PARTITION (p = 2) LOCATION '{other}'")
    t.sql("CONVERT TO DELTA c")
    shown(t, "c")
    t.log("c")


def case_convert_table_after_msck(t: Recorder) -> None:
    place = partitioned(t)
    columns = "(id BIGINT, q STRING, p INT) USING parquet PARTITIONED BY (q, p)"
    t.sql(f"CREATE TABLE c {columns} LOCATION '{place}'")
    t.sql("MSCK REPAIR TABLE c")
    t.sql("CONVERT TO DELTA c NO STATISTICS")
    shown(t, f"delta.`{place}`")


def case_convert_tables_that_are_empty(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT) USING parquet")
    t.sql("CONVERT TO DELTA c")
    entry(t, "c")
    t.sql("CREATE TABLE d (id INT, p INT) USING parquet PARTITIONED BY (p)")
    t.sql("CONVERT TO DELTA d")
    entry(t, "d")
    t.sql("CREATE TABLE e USING parquet AS SELECT 1 AS id WHERE false")
    t.sql("CONVERT TO DELTA e")
    entry(t, "e")


def case_convert_bucketed_table(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE c (id INT, v INT) USING parquet"
        " CLUSTERED BY (id) SORTED BY (v) INTO 2 BUCKETS"
    )
    t.sql("INSERT INTO c VALUES (1, 2), (3, 4)")
    t.sql("CONVERT TO DELTA c")
    shown(t, "c")
    entry(t, "c")
    t.sql("INSERT INTO c VALUES (5, 6)")


def case_convert_table_with_options(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE c (id INT) USING parquet"
        " OPTIONS (compression 'gzip', mergeSchema 'true', x 'y')"
    )
    t.sql("INSERT INTO c VALUES (1)")
    t.sql("CONVERT TO DELTA c")
    shown(t, "c", by="1")


def case_convert_tables_of_other_formats(t: Recorder) -> None:
    for kind in ("csv", "json", "orc"):
        t.sql(f"CREATE TABLE {kind}_table (id INT) USING {kind}")
        t.sql(f"CONVERT TO DELTA {kind}_table")
        entry(t, f"{kind}_table")


def case_convert_views(t: Recorder) -> None:
    t.sql("CREATE TABLE c USING parquet AS SELECT 1 AS id")
    t.sql("CREATE VIEW v AS SELECT * FROM c")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM c")
    t.sql("CONVERT TO DELTA v")
    t.sql("CONVERT TO DELTA w")
    t.sql("CONVERT TO DELTA nothing")
    t.sql("CONVERT TO DELTA no_schema.nothing")
    t.sql("CONVERT TO DELTA no_catalog.no_schema.nothing")
    t.sql("CONVERT TO DELTA a.b.c.d")
    t.sql("CREATE TEMP VIEW c AS SELECT 2 AS id")
    t.sql("CONVERT TO DELTA c")
    t.history(f"{t.schema}.c")


def case_convert_delta_tables(t: Recorder) -> None:
    t.sql("CREATE TABLE d USING delta AS SELECT 1 AS id")
    t.sql("CONVERT TO DELTA d")
    t.sql("CONVERT TO DELTA d NO STATISTICS PARTITIONED BY (x INT)")
    t.history("d")
    t.sql("CREATE TABLE c USING parquet AS SELECT 1 AS id")
    t.sql("CONVERT TO DELTA c")
    t.sql("CONVERT TO DELTA c")
    t.history("c")


def case_convert_names_in_other_letters(t: Recorder) -> None:
    t.sql("CREATE TABLE Camel USING parquet AS SELECT 1 AS Id")
    t.sql("CONVERT TO DELTA CAMEL")
    t.history("camel")
    t.sql("CREATE TABLE `1_name` USING parquet AS SELECT 1 AS id")
    t.sql(f"CONVERT TO DELTA spark_catalog.{t.schema}.`1_name`")
    t.history("`1_name`")
    t.sql("CREATE TABLE c USING parquet AS SELECT 1 AS id")
    t.sql(f"CONVERT TO DELTA {t.schema}.c")
    t.history("c")


def case_convert_table_whose_folder_is_delta(t: Recorder) -> None:
    place = files(t)
    t.sql(f"CREATE TABLE c (id BIGINT, v BIGINT) USING parquet LOCATION '{place}'")
    t.sql(f"CONVERT TO DELTA parquet.`{place}`")
    entry(t, "c")
    t.sql("CONVERT TO DELTA c")
    entry(t, "c")
    t.history("c")
    t.sql("SELECT count(*) FROM c")
    t.sql("INSERT INTO c VALUES (10, 11)")
    t.sql("SELECT count(*) FROM c")


def case_convert_table_whose_folder_has_other_properties(t: Recorder) -> None:
    place = files(t)
    t.sql(
        f"CREATE TABLE c (id BIGINT, v BIGINT) USING parquet LOCATION '{place}'"
        " TBLPROPERTIES ('delta.appendOnly' = 'true', 'a' = 'b')"
    )
    t.sql(f"CONVERT TO DELTA parquet.`{place}`")
    t.sql("CONVERT TO DELTA c")
    entry(t, "c")
    t.log(place, 1)
    t.history(f"delta.`{place}`")
    t.sql("SHOW TBLPROPERTIES c")


def case_convert_table_whose_folder_contradicts_its_properties(t: Recorder) -> None:
    place = files(t)
    t.sql(
        f"CREATE TABLE c (id BIGINT, v BIGINT) USING parquet LOCATION '{place}'"
        " TBLPROPERTIES ('delta.checkpointInterval' = '5', 'a' = 'b', 'n' = '1')"
    )
    t.sql(f"CONVERT TO DELTA parquet.`{place}`")
    t.sql(
        f"ALTER TABLE delta.`{place}` SET TBLPROPERTIES ('delta.checkpointInterval' = '7',"
        " 'a' = 'c', 'own' = '1')"
    )
    t.sql("CONVERT TO DELTA c")
    entry(t, "c")
    t.conf("spark.databricks.delta.convert.metadataCheck.enabled", "false")
    t.sql("CONVERT TO DELTA c")
    entry(t, "c")
    t.log(place, 2)
    t.history(f"delta.`{place}`")
    t.sql("SHOW TBLPROPERTIES c")


def case_convert_table_whose_folder_has_more_properties(t: Recorder) -> None:
    place = files(t)
    t.sql(f"CREATE TABLE c (id BIGINT, v BIGINT) USING parquet LOCATION '{place}'")
    t.sql(f"CONVERT TO DELTA parquet.`{place}`")
    t.sql(f"ALTER TABLE delta.`{place}` SET TBLPROPERTIES ('a' = 'b')")
    t.sql("CONVERT TO DELTA c")
    entry(t, "c")
    t.history(f"delta.`{place}`")
    t.sql("SHOW TBLPROPERTIES c")


def case_convert_path_of_a_table(t: Recorder) -> None:
    t.sql("CREATE TABLE c USING parquet AS SELECT 1 AS id")
    t.sql(f"CONVERT TO DELTA parquet.`{t.place('c')}`")
    entry(t, "c")
    t.sql("SELECT * FROM c")
    t.history(f"delta.`{t.place('c')}`")


def case_convert_one_of_two_tables_of_a_folder(t: Recorder) -> None:
    place = files(t)
    for name in ("c", "d"):
        t.sql(f"CREATE TABLE {name} (id BIGINT, v BIGINT) USING parquet LOCATION '{place}'")
    t.sql("CONVERT TO DELTA c")
    entry(t, "d")
    t.sql("CONVERT TO DELTA d")
    entry(t, "d")
    t.sql("INSERT INTO d VALUES (10, 11)")
    t.sql("SELECT count(*) FROM c")
    t.history("d")


def case_convert_cached_table_with_views(t: Recorder) -> None:
    t.sql("CREATE TABLE c USING parquet AS SELECT 1 AS id")
    t.sql("CREATE VIEW v AS SELECT id + 1 AS next FROM c")
    t.sql("CACHE TABLE c")
    t.sql("CONVERT TO DELTA c")
    t.sql("INSERT INTO c VALUES (5)")
    t.sql("SELECT * FROM c ORDER BY 1")
    t.sql("SELECT * FROM v ORDER BY 1")


def case_convert_table_then_alter_it(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT, p INT) USING parquet PARTITIONED BY (p)")
    t.sql("INSERT INTO c VALUES (1, 1)")
    t.sql("CONVERT TO DELTA c")
    t.sql("ALTER TABLE c ADD COLUMNS (v STRING)")
    t.sql("INSERT INTO c (id, p, v) VALUES (2, 2, 'x')")
    t.sql("ALTER TABLE c SET TBLPROPERTIES ('a' = 'b')")
    t.sql("ALTER TABLE c RENAME TO renamed")
    t.sql("SELECT * FROM renamed ORDER BY id")
    t.history("renamed")
