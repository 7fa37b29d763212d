"""DeltaTable.convertToDelta: identifiers, partition schemas, what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import types as st

from tests.parity.convert_sources import files, partitioned, shown

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def convert(t: Recorder, *arguments: Any, **named: Any) -> Any:
    return t.tables.DeltaTable.convertToDelta(t.spark, *arguments, **named)


def case_convert_api_returns_the_table(t: Recorder) -> None:
    files(t)
    t.show("toDF", lambda: convert(t, f"parquet.`{t.path}`").toDF())
    t.show("again", lambda: convert(t, f"parquet.`{t.path}`").toDF())
    t.value("kind", lambda: type(convert(t, f"delta.`{t.path}`")).__name__)
    shown(t, f"delta.`{t.path}`")
    t.show(
        "history",
        lambda: t.tables.DeltaTable.forPath(t.spark, t.path).history().select("operation"),
    )


def case_convert_api_partitions_as_text(t: Recorder) -> None:
    partitioned(t)
    t.show("toDF", lambda: convert(t, f"parquet.`{t.path}`", "q string, p int").toDF())
    shown(t, f"delta.`{t.path}`")


def case_convert_api_partitions_as_a_struct(t: Recorder) -> None:
    partitioned(t)
    parts = st.StructType().add("q", "string").add("p", st.LongType(), False, {"comment": "part"})
    named = {"identifier": f"parquet.`{t.path}`", "partitionSchema": parts}
    t.show("toDF", lambda: convert(t, **named).toDF())
    shown(t, f"delta.`{t.path}`")


def case_convert_api_texts_of_partitions(t: Recorder) -> None:
    texts = (
        "p INT",
        "p: int",
        "P int",
        "p int NOT NULL COMMENT 'part'",
        "p timestamp_ntz",
        "p decimal(4,1)",
    )
    for number, text in enumerate(texts):
        place = files(t, "SELECT 1 AS id, 1 AS p", "p", place=t.folder(f"t{number}"))
        t.attempt(text, lambda text=text, place=place: convert(t, f"parquet.`{place}`", text))
        t.log(place)


def case_convert_api_partitions_that_are_none(t: Recorder) -> None:
    files(t, "SELECT 1 AS id, 1 AS p", "p")
    name = f"parquet.`{t.path}`"
    wrong = {
        "empty text": "",
        "no type": "p",
        "no such type": "p number",
        "array": "p array<int>",
        "struct of an array": st.StructType().add("p", st.ArrayType(st.IntegerType())),
        "struct of nothing": st.StructType(),
        "another count": "p int, q int",
        "another name": "q int",
        "another type": "p date",
        "a number": 5,
        "a list": ["p"],
        "a type": st.IntegerType(),
        "twice": "p int, p int",
    }
    for label, given in wrong.items():
        t.attempt(label, lambda given=given: convert(t, name, given))
    t.attempt("none", lambda: convert(t, name, None))
    t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))


def case_convert_api_by_name(t: Recorder) -> None:
    t.sql("CREATE TABLE p USING parquet AS SELECT 1 AS id")
    t.show("toDF", lambda: convert(t, "p").toDF())
    shown(t, "p", by="1")
    t.sql("CREATE TABLE q (id INT, d DATE) USING parquet PARTITIONED BY (d)")
    t.sql("INSERT INTO q VALUES (1, DATE'2024-02-29')")
    t.show("toDF q", lambda: convert(t, f"spark_catalog.{t.schema}.q", "d date").toDF())
    t.sql("INSERT INTO q VALUES (2, DATE'2024-03-01')")
    shown(t, "q")


def case_convert_api_of_what_it_cannot(t: Recorder) -> None:
    files(t)
    t.sql("CREATE TABLE c (id INT) USING csv")
    t.sql("CREATE VIEW v AS SELECT 1 AS id")
    t.sql("CREATE TEMP VIEW w AS SELECT 1 AS id")
    for label, identifier in {
        "path": t.path,
        "quoted path": f"`{t.path}`",
        "missing": "nothing",
        "csv": "c",
        "view": "v",
        "temp view": "w",
        "no name": "a b",
        "empty": "",
        "four parts": "a.b.c.d",
        "missing path": f"parquet.`{t.folder('nothing')}`",
    }.items():
        t.attempt(label, lambda identifier=identifier: convert(t, identifier))
    t.attempt("number", lambda: convert(t, 5))
    t.attempt("no arguments", lambda: convert(t))
    t.value("converted", lambda: t.tables.DeltaTable.isDeltaTable(t.spark, t.path))
