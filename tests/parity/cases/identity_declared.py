"""Identity columns declared: what the log says of them, what is refused, what ALTER may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.numbering import MAPPED, data, numbered_table, put, shown

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_always_and_by_default(t: Recorder) -> None:
    numbered_table(t)
    shown(t)
    numbered_table(t, start=-5, step=-3, default=True, table="u")
    shown(t, "u")
    t.sql("DESCRIBE u")
    t.detail("u")


def _number_of_type(t: Recorder, kind: str) -> None:
    made = t.tables.DeltaTable.create(t.spark).tableName("t").addColumn("v", "STRING")
    made.addColumn("id", kind, generatedAlwaysAs=t.tables.IdentityGenerator()).execute()


def case_of_other_types(t: Recorder) -> None:
    for kind in ("INT", "STRING", "DECIMAL(20,0)"):
        t.attempt(f"identity of type {kind}", lambda kind=kind: _number_of_type(t, kind))


def case_that_partitions(t: Recorder) -> None:
    t.attempt("partitioned by it", lambda: numbered_table(t, by="id"))


def case_half_told(t: Recorder) -> None:
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    for keys in (["start"], ["start", "step"], ["allowExplicitInsert"]):
        told = {f"delta.identity.{key}": key.startswith("allow") or 1 for key in keys}
        schema = StructType(
            [StructField("id", LongType(), True, told), StructField("v", StringType())]
        )
        made = t.tables.DeltaTable.create(t.spark).tableName("t").addColumns(schema)
        t.attempt(f"told {keys}", made.execute)


def case_not_null_with_comment(t: Recorder) -> None:
    made = t.tables.DeltaTable.create(t.spark).tableName("t").addColumn("v", "STRING")
    generator = t.tables.IdentityGenerator(start=7)
    made.addColumn(
        "id", "BIGINT", nullable=False, generatedAlwaysAs=generator, comment="number"
    ).execute()
    t.sql("DESCRIBE t")
    put(t, "a")


def case_altered(t: Recorder) -> None:
    numbered_table(t, properties=MAPPED)
    put(t, "a")
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE STRING")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT 5")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id BIGINT, v STRING)")
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'number'")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER v")
    t.sql("ALTER TABLE t RENAME COLUMN id TO nr")
    put(t, "b")
    t.sql("ALTER TABLE t DROP COLUMN nr")
    shown(t)


def case_copied(t: Recorder) -> None:
    numbered_table(t)
    put(t, "a")
    t.sql("CREATE TABLE l LIKE t")
    put(t, "b", table="l")
    t.sql("CREATE TABLE s USING delta AS SELECT * FROM t")
    shown(t, "s")


def case_replaced(t: Recorder) -> None:
    numbered_table(t)
    put(t, "a", "b")
    made = t.tables.DeltaTable.replace(t.spark).tableName("t")
    generator = t.tables.IdentityGenerator(start=1, step=1)
    made.addColumn("id", "BIGINT", generatedAlwaysAs=generator).addColumn("v", "STRING").execute()
    shown(t)
    put(t, "c")
    frame = data(t, "SELECT 'x' AS v")
    t.attempt("replaced by a query", lambda: frame.writeTo("t").using("delta").createOrReplace())
    shown(t)
