"""CREATE TABLE ... SHALLOW CLONE of Delta tables: what the new table gets, and what it is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.parity.changing import (
    FEED,
    MAPPED,
    THREE_AND_TWO,
    TRACKED,
    VECTORS,
    make,
    put,
    versions,
)

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def clone(t: Recorder, text: str) -> None:
    """Run a statement that clones; show its columns and its row, without the size of files."""

    def show() -> list[str]:
        frame = t.spark.sql(text)
        rows = [row.asDict() for row in frame.collect()]
        for row in rows:
            row["source_table_size"] = row["source_table_size"] and "<n>"
        return [frame.schema.simpleString(), *map(str, rows)]

    t.rows(text, show)


def metadata(t: Recorder, table: str, source: str = "") -> None:
    """Show what a table says of itself; whether id and time of creation are those of another."""

    def found(name: str) -> dict[str, object]:
        lines = (t.place(name) / "_delta_log" / f"{0:020}.json").read_text().splitlines()
        return next(json.loads(line)["metaData"] for line in lines if "metaData" in line)

    def show() -> list[str]:
        own = found(table)
        shown = [f"{key}: {own.get(key)}" for key in ("name", "description", "partitionColumns")]
        if source:
            other = found(source)
            shown += [f"{key} as there: {own[key] == other[key]}" for key in ("id", "createdTime")]
            given = own["configuration"], other["configuration"]
            same = {key for key in given[0] if given[0][key] == given[1].get(key)}
            shown += [f"{key} as there: {key in same}" for key in sorted(given[0])]
        return shown

    t.rows(f"METADATA {table}", show)


def shown(t: Recorder, table: str = "c", first: int = 0) -> None:
    """Show the rows, the history and the log of a clone."""
    t.sql(f"SELECT * FROM {table}")
    t.history(table)
    t.log(table if "`" not in table else table.split("`")[1], first)


def case_clone_by_name(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    t.detail("c")
    metadata(t, "c", "t")
    t.sql("SHOW TBLPROPERTIES c")
    t.value("type", lambda: t.spark.catalog.getTable("c").tableType)
    versions(t)


def case_clone_by_path(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    clone(t, f"CREATE TABLE delta.`{t.path}` SHALLOW CLONE t")
    shown(t, f"delta.`{t.path}`")
    clone(t, f"CREATE TABLE c SHALLOW CLONE delta.`{t.path}`")
    shown(t)
    t.sql("INSERT INTO c VALUES (9, 'z')")
    t.sql("SELECT * FROM c")
    t.sql("SELECT * FROM t")


def case_clone_at_a_location(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    clone(t, f"CREATE TABLE c SHALLOW CLONE t LOCATION '{t.path}'")
    shown(t, f"delta.`{t.path}`")
    t.sql("SELECT * FROM c")
    t.value("type", lambda: t.spark.catalog.getTable("c").tableType)
    t.sql("DROP TABLE c")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    clone(t, f"CREATE TABLE delta.`{t.folder('x')}` SHALLOW CLONE t LOCATION '{t.folder('y')}'")
    clone(t, f"CREATE TABLE delta.`{t.folder('x')}` SHALLOW CLONE t LOCATION '{t.folder('x')}'")


def case_clone_of_versions(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.spark.sql("ALTER TABLE t ADD COLUMN more INT")
    t.spark.sql("DELETE FROM t WHERE id > 1")
    for number, travel in enumerate(
        (
            "VERSION AS OF 1",
            "FOR VERSION AS OF 2",
            "SYSTEM_VERSION AS OF 0",
            "FOR SYSTEM_VERSION AS OF 3",
            "TIMESTAMP AS OF '2999-01-01'",
            "TIMESTAMP AS OF '1999-01-01'",
            "TIMESTAMP AS OF 'never'",
            "VERSION AS OF 9",
            "VERSION AS OF -1",
            "VERSION AS OF x",
        )
    ):
        clone(t, f"CREATE TABLE c{number} SHALLOW CLONE t {travel}")
        t.sql(f"SELECT * FROM c{number}")
    t.history("c0")
    t.log("c0")
    t.history("c1")
    t.history("c2")


def case_clone_of_a_version_by_path(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, table=f"delta.`{t.path}`")
    clone(t, f"CREATE TABLE c SHALLOW CLONE delta.`{t.path}` VERSION AS OF 1")
    shown(t)
    clone(t, f"CREATE TABLE d SHALLOW CLONE delta.`{t.path}@v1`")
    clone(t, f"CREATE TABLE e SHALLOW CLONE delta.`{t.folder('none')}`")
    clone(t, "CREATE TABLE e SHALLOW CLONE none")


def case_clone_takes_properties(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.appendOnly": "false", "a": "1", "b": "2"})
    t.spark.sql("COMMENT ON TABLE t IS 'the source'")
    t.conf("spark.databricks.delta.properties.defaults.checkpointInterval", "7")
    clone(t, "CREATE TABLE c SHALLOW CLONE t TBLPROPERTIES ('b' = '3', 'c' = '4', x.y = 5)")
    shown(t)
    metadata(t, "c", "t")
    t.sql("SHOW TBLPROPERTIES c")
    clone(
        t, "CREATE TABLE d SHALLOW CLONE t TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    shown(t, "d")
    clone(t, "CREATE TABLE e SHALLOW CLONE t TBLPROPERTIES ('delta.unknown' = 'true')")
    clone(t, "CREATE TABLE e SHALLOW CLONE t TBLPROPERTIES ('delta.appendOnly' = 'maybe')")
    clone(
        t,
        "CREATE TABLE f SHALLOW CLONE t TBLPROPERTIES ('delta.feature.rowTracking' = 'supported')",
    )
    shown(t, "f")
    clone(t, "CREATE TABLE g SHALLOW CLONE t TBLPROPERTIES ('delta.minWriterVersion' = '5')")
    shown(t, "g")


def case_clone_if_not_exists(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    make(t, "(7, 'g')", table="u")
    clone(t, "CREATE TABLE IF NOT EXISTS c SHALLOW CLONE t")
    clone(t, "CREATE TABLE IF NOT EXISTS c SHALLOW CLONE u")
    t.sql("SELECT * FROM c")
    versions(t, "c")
    clone(t, f"CREATE TABLE IF NOT EXISTS delta.`{t.path}` SHALLOW CLONE t")
    clone(t, f"CREATE TABLE IF NOT EXISTS delta.`{t.path}` SHALLOW CLONE u")
    versions(t, f"delta.`{t.path}`")


def case_clone_over_tables(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    make(t, "(7, 'g')", table="u")
    for head in ("CREATE TABLE", "CREATE OR REPLACE TABLE", "REPLACE TABLE"):
        clone(t, f"{head} u SHALLOW CLONE t")
        clone(t, f"{head} t SHALLOW CLONE t")
        clone(t, f"{head} t SHALLOW CLONE t VERSION AS OF 1")
    clone(t, "REPLACE TABLE none SHALLOW CLONE t")
    clone(t, f"REPLACE TABLE delta.`{t.path}` SHALLOW CLONE t")
    clone(t, "CREATE OR REPLACE TABLE c SHALLOW CLONE t")
    t.sql("SELECT * FROM c")
    versions(t, "u")
    versions(t)


def case_clone_over_emptied_tables(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"k": "t"})
    make(t, "(7, 'g')", table="u", properties={"k": "u", "l": "u"})
    t.spark.sql("COMMENT ON TABLE u IS 'the target'")
    t.spark.sql("DELETE FROM u")
    clone(t, "CREATE OR REPLACE TABLE u SHALLOW CLONE t")
    t.sql("SELECT * FROM u")
    t.history("u")
    t.log("u", 4)
    t.sql("SHOW TBLPROPERTIES u")
    t.spark.sql("CREATE TABLE w (other STRING) USING delta")
    clone(t, "CREATE TABLE w SHALLOW CLONE t")
    clone(t, "REPLACE TABLE w SHALLOW CLONE t")
    shown(t, "w", 1)
    t.spark.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    clone(t, f"CREATE TABLE delta.`{t.path}` SHALLOW CLONE t")
    clone(t, f"CREATE OR REPLACE TABLE delta.`{t.path}` SHALLOW CLONE t")
    shown(t, f"delta.`{t.path}`", 1)


def case_clone_into_folders(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.spark.range(2).write.parquet(t.path)
    clone(t, f"CREATE TABLE c SHALLOW CLONE t LOCATION '{t.path}'")
    clone(t, f"CREATE OR REPLACE TABLE d SHALLOW CLONE t LOCATION '{t.path}'")
    make(t, "(7, 'g')", table=f"delta.`{t.folder('u')}`")
    clone(t, f"CREATE TABLE e SHALLOW CLONE t LOCATION '{t.folder('u')}'")
    t.spark.sql(f"CREATE TABLE delta.`{t.folder('w')}` (id INT) USING delta")
    clone(t, f"CREATE TABLE f SHALLOW CLONE t LOCATION '{t.folder('w')}'")
    t.sql("SELECT * FROM f")


def case_clone_over_other_objects(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.spark.sql("CREATE VIEW v AS SELECT * FROM t")
    t.spark.sql("CREATE TEMPORARY VIEW tv AS SELECT 1 AS id")
    t.spark.sql("CREATE TABLE p (id INT) USING parquet")
    for head in ("CREATE TABLE", "CREATE OR REPLACE TABLE", "REPLACE TABLE"):
        clone(t, f"{head} v SHALLOW CLONE t")
        clone(t, f"{head} p SHALLOW CLONE t")
    clone(t, "CREATE TABLE IF NOT EXISTS v SHALLOW CLONE t")
    clone(t, "CREATE TABLE IF NOT EXISTS p SHALLOW CLONE t")
    clone(t, "CREATE TABLE nowhere.c SHALLOW CLONE t")
    clone(t, "CREATE TABLE tv SHALLOW CLONE t")
    t.sql("SELECT * FROM tv")


def case_clone_of_other_objects(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.spark.sql("CREATE VIEW v AS SELECT * FROM t")
    t.spark.sql("CREATE TEMPORARY VIEW tv AS SELECT 1 AS id")
    t.spark.sql("CREATE TABLE j USING json AS SELECT 1 AS id")
    clone(t, "CREATE TABLE c SHALLOW CLONE v")
    clone(t, "CREATE TABLE c SHALLOW CLONE tv")
    clone(t, "CREATE TABLE c SHALLOW CLONE j")
    t.spark.range(2).write.json(t.path)
    clone(t, f"CREATE TABLE c SHALLOW CLONE json.`{t.path}`")
    clone(t, f"CREATE TABLE c SHALLOW CLONE nope.`{t.path}`")


def case_clone_with_wrong_words(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    for text in (
        "CREATE TABLE c CLONE t",
        "CREATE TABLE c DEEP CLONE t",
        "CREATE TABLE c SHALLOW CLONE",
        "CREATE TABLE c SHALLOW CLONE t PARTITIONED BY (id)",
        "CREATE TABLE c SHALLOW CLONE t LOCATION 'x' TBLPROPERTIES ('a' = 'b')",
        "CREATE OR REPLACE TABLE IF NOT EXISTS c SHALLOW CLONE t",
        "REPLACE TABLE IF NOT EXISTS c SHALLOW CLONE t",
        "CREATE TABLE a.b.c.d SHALLOW CLONE t",
        "CREATE TABLE c SHALLOW CLONE a.b.c.d",
        "CREATE TABLE c (id INT) SHALLOW CLONE t",
        "SHALLOW CLONE t",
        "CREATE EXTERNAL TABLE c SHALLOW CLONE t",
    ):
        t.sql(text)


def case_clone_with_vectors(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (1, 4)")
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    t.sql("DELETE FROM c WHERE id = 2")
    t.sql("SELECT * FROM c")
    t.log("c", 1)
    t.sql("SELECT * FROM t")
    clone(t, "CREATE TABLE d SHALLOW CLONE c")
    shown(t, "d")


def case_clone_with_row_tracking(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=TRACKED)
    t.spark.sql("UPDATE t SET v = 'u' WHERE id = 4")
    t.sql("SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t")
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    metadata(t, "c", "t")
    clone(t, "CREATE TABLE d SHALLOW CLONE t TBLPROPERTIES ('delta.enableRowTracking' = 'false')")
    shown(t, "d")


def case_clone_into_a_table_with_row_tracking(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    make(t, "(7, 'g')", table="u", properties=TRACKED)
    t.spark.sql("DELETE FROM u")
    clone(t, "CREATE OR REPLACE TABLE u SHALLOW CLONE t")
    shown(t, "u", 3)
    t.spark.sql("SET spark.databricks.delta.stats.collect = false")
    make(t, *THREE_AND_TWO, table="s")
    t.spark.sql("SET spark.databricks.delta.stats.collect = true")
    clone(t, "CREATE TABLE d SHALLOW CLONE s TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    clone(t, "CREATE TABLE e SHALLOW CLONE s")
    shown(t, "e")


def case_clone_with_mapping(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=MAPPED)
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    clone(t, "CREATE TABLE d SHALLOW CLONE t TBLPROPERTIES ('delta.columnMapping.mode' = 'none')")
    clone(t, "CREATE TABLE d SHALLOW CLONE t TBLPROPERTIES ('delta.columnMapping.mode' = 'id')")
    make(t, *THREE_AND_TWO, table="plain")
    clone(
        t, "CREATE TABLE e SHALLOW CLONE plain TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    t.sql("SELECT * FROM e")
    t.log("e")


def case_clone_of_a_clustered_table(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, v STRING) USING delta CLUSTER BY (id)")
    put(t, "(1, 'a')")
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    t.detail("c")
    t.spark.sql("CREATE TABLE u (id INT, v STRING) USING delta CLUSTER BY (v)")
    make(t, "(1, 'a')", table="plain")
    clone(t, "CREATE OR REPLACE TABLE u SHALLOW CLONE plain")
    t.log("u", 1)
    t.detail("u")
    make(t, "(1, 'a')", table="parted", by="id")
    t.spark.sql("CREATE TABLE w (id INT, v STRING) USING delta CLUSTER BY (v)")
    clone(t, "CREATE OR REPLACE TABLE w SHALLOW CLONE parted")
    t.log("w", 1)


def case_clone_of_a_partitioned_table(t: Recorder) -> None:
    make(t, "(1, 'a b'), (2, 'c/d'), (3, NULL)", by="v")
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    t.sql("INSERT INTO c VALUES (4, 'a b')")
    t.sql("SELECT * FROM c WHERE v = 'a b'")
    t.sql("DELETE FROM c WHERE v = 'c/d'")
    t.sql("SELECT * FROM c")


def case_clone_with_definitions(t: Recorder) -> None:
    t.tables.DeltaTable.create(t.spark).tableName("t").addColumn(
        "id", "BIGINT", generatedAlwaysAs=t.tables.IdentityGenerator()
    ).addColumn("v", "STRING").addColumn("n", "INT", generatedAlwaysAs="length(v)").execute()
    t.spark.sql("ALTER TABLE t ADD CONSTRAINT short CHECK (n < 5)")
    t.spark.sql("INSERT INTO t (v) SELECT /*+ COALESCE(1) */ * FROM VALUES ('a'), ('bb')")
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    t.sql("INSERT INTO c (v) VALUES ('ccc')")
    t.sql("INSERT INTO c (v) VALUES ('ccccccc')")
    t.sql("SELECT * FROM c")


def case_clone_with_change_feed(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=FEED)
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    t.spark.sql("UPDATE c SET v = 'u' WHERE id = 1")
    t.sql("SELECT * EXCEPT (_commit_timestamp) FROM table_changes('c', 0)")


def case_clone_with_times_in_commits(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.enableInCommitTimestamps": "true"})
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    t.history("c")
    metadata(t, "c")
    make(t, *THREE_AND_TWO, table="s")
    t.spark.sql("ALTER TABLE s SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    clone(t, "CREATE TABLE d SHALLOW CLONE s")
    metadata(t, "d")
    t.sql("SHOW TBLPROPERTIES d")


def case_clone_of_nothing(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT) USING delta")
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    shown(t)
    t.spark.sql("CREATE TABLE u USING delta")
    clone(t, "CREATE TABLE d SHALLOW CLONE u")


def case_clone_with_settings(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.spark.sql("CREATE TABLE u (id INT) USING delta")
    t.conf("spark.databricks.delta.clone.replaceEnabled", "false")
    clone(t, "CREATE OR REPLACE TABLE u SHALLOW CLONE t")
    clone(t, "CREATE OR REPLACE TABLE c SHALLOW CLONE t")
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "because")
    clone(t, "CREATE TABLE d SHALLOW CLONE t")
    t.history("d")


def case_clone_of_a_protocol(t: Recorder) -> None:
    make(
        t, *THREE_AND_TWO, properties={"delta.minWriterVersion": "1", "delta.minReaderVersion": "1"}
    )
    clone(t, "CREATE TABLE c SHALLOW CLONE t")
    t.log("c")
    make(t, *THREE_AND_TWO, properties=VECTORS, table="s")
    t.spark.sql("ALTER TABLE s SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    clone(t, "CREATE TABLE d SHALLOW CLONE s")
    t.log("d")
    t.spark.sql(
        "CREATE TABLE u (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')"
    )
    clone(t, "CREATE OR REPLACE TABLE u SHALLOW CLONE s")
    t.log("u", 1)
