"""The DeltaTable class: finding, describing, creating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import types as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.parity.recorder import Recorder


def case_api_for_name(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.show("toDF", lambda: api.forName(t.spark, "t").toDF())
    t.show("qualified", lambda: api.forName(t.spark, f"spark_catalog.{t.schema}.t").toDF())
    t.show("path", lambda: api.forName(t.spark, f"delta.`{t.place('t')}`").toDF())
    t.attempt("missing", lambda: api.forName(t.spark, "nope"))
    t.attempt("missing path", lambda: api.forName(t.spark, f"delta.`{t.path}`"))
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.attempt("parquet", lambda: api.forName(t.spark, "p"))
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.attempt("view", lambda: api.forName(t.spark, "v"))
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM t")
    t.attempt("temp view", lambda: api.forName(t.spark, "w"))
    t.attempt("not a name", lambda: api.forName(t.spark, "a b"))


def case_api_for_path(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.attempt("missing", lambda: api.forPath(t.spark, t.path))
    t.sql(f"CREATE TABLE delta.`{t.path}` USING delta PARTITIONED BY (p) AS SELECT 1 AS id, 2 AS p")
    t.show("toDF", lambda: api.forPath(t.spark, t.path).toDF())
    t.show("slash", lambda: api.forPath(t.spark, t.path + "/").toDF())
    t.show("url", lambda: api.forPath(t.spark, "file:" + t.path).toDF())
    t.show("options", lambda: api.forPath(t.spark, t.path, {"fs.x": "y"}).toDF())
    t.attempt("bad options", lambda: api.forPath(t.spark, t.path, {"x": "y"}))
    t.attempt("partition folder", lambda: api.forPath(t.spark, t.path + "/p=2"))
    t.attempt("with a version", lambda: api.forPath(t.spark, t.path + "@v0"))
    t.attempt("parquet", lambda: t.spark.range(1).write.parquet(t.folder("files")))
    t.attempt("not Delta", lambda: api.forPath(t.spark, t.folder("files")))


def case_api_is_delta_table(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.spark.range(1).write.parquet(t.folder("files"))

    def ask(label: str, identifier: str) -> None:
        t.value(label, lambda: api.isDeltaTable(t.spark, identifier))

    ask("path", str(t.place("t")))
    ask("missing", t.path)
    ask("parquet files", t.folder("files"))
    ask("name", "t")
    ask("path identifier", f"delta.`{t.place('t')}`")
    ask("below", str(t.place("t") / "_delta_log"))


def case_api_alias_and_self_reading(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    table = api.forName(t.spark, "t")
    t.show("alias", lambda: table.alias("x").toDF().select("x.id"))
    t.sql("INSERT INTO t VALUES (2)")
    t.show("toDF sees later rows", table.toDF)
    t.sql("DROP TABLE t")
    t.show("toDF after a drop", table.toDF)
    t.show("history after a drop", table.history)


def case_api_history_and_detail(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("INSERT INTO t VALUES (2)")
    table = api.forName(t.spark, "t")
    t.show("history", lambda: table.history().select("version", "operation"))
    t.show("history(1)", lambda: table.history(1).select("version", "operation"))
    t.show("history(0)", lambda: table.history(0).select("version"))
    t.attempt("history(-1)", lambda: table.history(-1).collect())
    t.attempt("history of text", lambda: table.history("1").collect())
    t.show("detail", lambda: table.detail().select("format", "name", "numFiles", "properties"))
    t.value("same schema", lambda: table.detail().schema == t.spark.sql("DESCRIBE DETAIL t").schema)
    t.show(
        "history filtered",
        lambda: (
            table.history()
            .where("operation = 'WRITE'")
            .select("version", "operationMetrics.numOutputRows")
        ),
    )
    t.show("path detail", lambda: api.forPath(t.spark, str(t.place("t"))).detail().select("name"))


def case_api_create_builder(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.attempt(
        "create",
        lambda: (
            api.create(t.spark)
            .tableName("t")
            .addColumn("id", "INT", nullable=False, comment="key")
            .addColumn("d", st.DateType())
            .addColumns(st.StructType().add("p", "string"))
            .addColumns([st.StructField("n", st.LongType(), True, {"comment": "count"})])
            .partitionedBy("p")
            .property("a", "b")
            .property("delta.appendOnly", "true")
            .comment("built")
            .execute()
        ),
    )
    t.log("t")
    t.detail("t")
    t.attempt("again", lambda: api.create(t.spark).tableName("t").addColumn("id", "INT").execute())
    t.show(
        "if not exists",
        lambda: (
            api.createIfNotExists(t.spark).tableName("t").addColumn("x", "INT").execute().toDF()
        ),
    )
    t.attempt(
        "at a place", lambda: api.create(t.spark).location(t.path).addColumn("id", "INT").execute()
    )
    t.log(t.path)
    t.attempt(
        "name and place",
        lambda: (
            api.create(t.spark)
            .tableName("u")
            .location(t.folder("u"))
            .addColumn("id", "INT")
            .execute()
        ),
    )
    t.detail("u")
    t.attempt(
        "path as a name",
        lambda: (
            api.create(t.spark)
            .tableName(f"delta.`{t.folder('v')}`")
            .addColumn("id", "INT")
            .execute()
        ),
    )
    t.history(f"delta.`{t.folder('v')}`")
    t.attempt(
        "default session", lambda: api.create().tableName("w").addColumn("i", "int").execute()
    )


def case_api_replace_builder(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.attempt(
        "replace missing",
        lambda: api.replace(t.spark).tableName("t").addColumn("id", "INT").execute(),
    )
    t.attempt(
        "createOrReplace",
        lambda: api.createOrReplace(t.spark).tableName("t").addColumn("id", "INT").execute(),
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.attempt(
        "replace",
        lambda: (
            api.replace(t.spark)
            .tableName("t")
            .addColumn("n", "STRING")
            .partitionedBy(["n"])
            .addColumn("m", "INT")
            .execute()
        ),
    )
    t.attempt(
        "createOrReplace again",
        lambda: (
            api.createOrReplace(t.spark)
            .tableName("t")
            .addColumn("q", "INT")
            .property("k", "v")
            .execute()
        ),
    )
    t.sql("SELECT * FROM t")
    t.history("t")
    t.log("t", 2)


def case_api_builder_errors(t: Recorder) -> None:
    api = t.tables.DeltaTable

    def build(label: str, make: Callable[[Any], Any]) -> None:
        t.attempt(label, lambda: make(api.create(t.spark)).execute())

    build("neither name nor place", lambda b: b.addColumn("id", "INT"))
    build("no columns", lambda b: b.tableName("a"))
    build("unknown partition", lambda b: b.tableName("b").addColumn("i", "INT").partitionedBy("p"))
    build("twice a column", lambda b: b.tableName("c").addColumn("i", "INT").addColumn("I", "INT"))
    build("bad type", lambda b: b.tableName("d").addColumn("i", "NOPE"))
    build(
        "unknown property",
        lambda b: b.tableName("e").addColumn("i", "INT").property("delta.nope", "1"),
    )
    build(
        "path and other place",
        lambda b: b.tableName(f"delta.`{t.path}`").location(t.folder("x")).addColumn("i", "INT"),
    )
    build("name of a number", lambda b: b.tableName(1))
    build("place of a number", lambda b: b.location(1))
    build("comment of a number", lambda b: b.comment(1))
    build("column of a number", lambda b: b.tableName("f").addColumn(1, "INT"))
    build("type of a number", lambda b: b.tableName("f").addColumn("i", 1))
    build(
        "partition of a number", lambda b: b.tableName("f").addColumn("i", "INT").partitionedBy(1)
    )
    build("property of a number", lambda b: b.tableName("f").property("a", 1))
    build("columns of texts", lambda b: b.tableName("f").addColumns(["i INT"]))
    build("nullable text", lambda b: b.tableName("f").addColumn("i", "INT", nullable="no"))
    t.sql("SHOW TABLES")


def case_api_create_over_a_location(t: Recorder) -> None:
    api = t.tables.DeltaTable
    t.sql(f"CREATE TABLE delta.`{t.path}` USING delta AS SELECT 1 AS id")
    t.attempt(
        "same schema",
        lambda: (
            api.create(t.spark).tableName("a").location(t.path).addColumn("id", "INT").execute()
        ),
    )
    t.attempt("no columns", lambda: api.create(t.spark).tableName("b").location(t.path).execute())
    t.attempt(
        "other schema",
        lambda: api.create(t.spark).tableName("c").location(t.path).addColumn("x", "INT").execute(),
    )
    t.attempt(
        "location again",
        lambda: api.create(t.spark).location(t.path).addColumn("id", "INT").execute(),
    )
    t.attempt(
        "if not exists",
        lambda: api.createIfNotExists(t.spark).location(t.path).addColumn("x", "INT").execute(),
    )
    t.sql("SHOW TABLES")
    t.history(f"delta.`{t.path}`")
