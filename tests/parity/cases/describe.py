"""DESCRIBE, DESCRIBE DETAIL, DESCRIBE HISTORY and the SHOW statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

# What these rows of DESCRIBE EXTENDED say is the machine's and the moment's.
MOMENT = {"Created Time", "Last Access", "Created By", "Owner", "Statistics"}


def _table(t: Recorder) -> None:
    t.spark.sql("""CREATE TABLE t (id INT NOT NULL COMMENT 'key', p STRING, s STRUCT<a: INT>)
        USING delta PARTITIONED BY (p) COMMENT 'words' TBLPROPERTIES ('b' = '2', 'a' = '1')""")
    t.spark.sql("INSERT INTO t VALUES (1, 'x', named_struct('a', 1))")


def _describe(t: Recorder, text: str) -> None:
    """Record a DESCRIBE without the rows that vary."""
    t.rows(
        text,
        lambda: [
            " | ".join(str(value) for value in row)
            for row in t.spark.sql(text).collect()
            if row[0] not in MOMENT
        ],
    )


def case_describe_table(t: Recorder) -> None:
    _table(t)
    t.sql("DESCRIBE t")
    t.sql("DESC TABLE t")
    _describe(t, "DESCRIBE EXTENDED t")
    _describe(t, "DESCRIBE FORMATTED t")
    t.sql("DESCRIBE t id")
    t.sql("DESCRIBE t s.a")
    t.sql("DESCRIBE t nope")
    t.sql("DESCRIBE nope")


def case_describe_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` USING delta PARTITIONED BY (p) AS SELECT 1 AS a, 2 AS p")
    t.sql(f"DESCRIBE delta.`{t.path}`")
    _describe(t, f"DESCRIBE EXTENDED delta.`{t.path}`")
    t.sql(f"SHOW COLUMNS IN delta.`{t.path}`")


def case_describe_extended_external(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT) USING delta LOCATION '{t.path}'")
    _describe(t, "DESCRIBE EXTENDED t")


def case_detail_forms(t: Recorder) -> None:
    _table(t)
    place = t.place("t")
    t.detail("t")
    t.detail(f"delta.`{place}`")
    t.detail(f"'{place}'")
    t.detail(f'"{place}"')
    t.detail(f"{t.schema}.t")
    t.detail("nope")
    t.detail(f"'{t.folder('nope')}'")
    t.detail(f"delta.`{t.folder('nope')}`")


def case_detail_schema(t: Recorder) -> None:
    _table(t)
    detail = t.spark.sql("DESCRIBE DETAIL t").schema
    t.value("schema", detail.simpleString)
    t.value("not nullable", lambda: [field.name for field in detail if not field.nullable])


def case_detail_of_other_formats(t: Recorder) -> None:
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.detail("p")
    t.sql("CREATE VIEW v AS SELECT 1 AS id")
    t.detail("v")
    t.attempt("parquet files", lambda: t.spark.range(1).write.parquet(t.path))
    t.detail(f"'{t.path}'")
    t.sql("DESCRIBE HISTORY p")
    t.sql(f"DESCRIBE HISTORY '{t.path}'")


def case_history_forms(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t VALUES (2, 'y', NULL)")
    place = t.place("t")
    t.history("t", columns=True)
    t.history(f"delta.`{place}` LIMIT 1")
    t.history(f"'{place}' LIMIT 2")
    t.history("t LIMIT 100")
    t.history("t LIMIT 0")
    t.history("t LIMIT -1")
    t.history("nope")
    t.history(f"'{t.folder('nope')}'")
    t.history(f"delta.`{t.folder('nope')}`")


def case_history_versions_and_flags(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql("INSERT INTO t SELECT id FROM t")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')")
    t.sql("INSERT OVERWRITE t VALUES (3)")
    t.show(
        "columns",
        lambda: (
            t.tables.DeltaTable.forName(t.spark, "t")
            .history()
            .select(
                "version",
                "operation",
                "readVersion",
                "isolationLevel",
                "isBlindAppend",
                "userMetadata",
                "job",
                "notebook",
                "clusterId",
            )
        ),
    )


def case_show_statements(t: Recorder) -> None:
    _table(t)
    t.sql("SHOW TABLES")
    t.sql("SHOW TABLES LIKE 't*'")
    t.sql("SHOW COLUMNS IN t")
    t.sql(f"SHOW COLUMNS FROM t FROM {t.schema}")
    t.sql("SHOW COLUMNS IN nope")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("SHOW TBLPROPERTIES t ('a')")
    t.sql("SHOW TBLPROPERTIES t ('nope')")
    t.sql("SHOW TBLPROPERTIES nope")
    t.sql("SHOW PARTITIONS t")
    t.value("show create table", lambda: t.spark.sql("SHOW CREATE TABLE t").columns)
    t.sql("SHOW CREATE TABLE nope")


def case_catalog_api(t: Recorder) -> None:
    _table(t)
    t.value(
        "listTables",
        lambda: [
            (x.name, x.catalog, x.namespace, x.description, x.tableType, x.isTemporary)
            for x in t.spark.catalog.listTables()
        ],
    )
    t.value(
        "listColumns",
        lambda: [
            (c.name, c.description, c.dataType, c.nullable, c.isPartition, c.isBucket)
            for c in t.spark.catalog.listColumns("t")
        ],
    )
    t.value(
        "tableExists",
        lambda: (t.spark.catalog.tableExists("t"), t.spark.catalog.tableExists("nope")),
    )
    t.value("getTable", lambda: t.spark.catalog.getTable("t").description)
    t.attempt("refreshTable", lambda: t.spark.catalog.refreshTable("t"))
    t.attempt("cacheTable", lambda: t.spark.catalog.cacheTable("t"))
    t.value("isCached", lambda: t.spark.catalog.isCached("t"))
    t.sql("REFRESH TABLE t")
    t.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    t.sql("SELECT * FROM t")


def case_catalog_create_table(t: Recorder) -> None:
    t.attempt(
        "createTable",
        lambda: t.spark.catalog.createTable(
            "a", source="delta", schema=t.spark.range(1).schema, description="made"
        ),
    )
    t.sql("SELECT * FROM a")
    t.sql("DESCRIBE a")
    t.sql(f"CREATE TABLE delta.`{t.path}` USING delta AS SELECT 1 AS id")
    t.attempt(
        "createTable over a path",
        lambda: t.spark.catalog.createTable("b", path=t.path, source="delta"),
    )
    t.sql("SELECT * FROM b")
