"""ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY: numbers go on behind those that rows brought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.numbering import MAPPED, numbered_table, put, shown

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

SYNC = "ALTER TABLE t ALTER COLUMN id SYNC IDENTITY"
LOWERS = "spark.databricks.delta.identityColumn.allowSyncIdentityToLowerHighWaterMark.enabled"


def case_behind_given_values(t: Recorder) -> None:
    numbered_table(t, start=10, step=5, default=True)
    t.sql(SYNC)
    t.sql("INSERT INTO t VALUES (3, 'before the start')")
    t.sql(SYNC)
    shown(t)
    t.sql("INSERT INTO t VALUES (77, 'far')")
    t.sql(SYNC)
    put(t, "a")
    t.history("t")


def case_downwards(t: Recorder) -> None:
    numbered_table(t, start=-10, step=-5, default=True)
    t.sql("INSERT INTO t VALUES (-22, 'far'), (NULL, 'none')")
    t.sql(SYNC)
    put(t, "a")


def case_with_nothing_to_do(t: Recorder) -> None:
    numbered_table(t)
    put(t, "a")
    t.sql(SYNC)
    t.sql(SYNC)
    shown(t)
    t.history("t")


def case_never_back(t: Recorder) -> None:
    numbered_table(t, default=True)
    t.sql("INSERT INTO t VALUES (50, 'far')")
    t.sql(SYNC)
    t.sql("INSERT OVERWRITE t VALUES (20, 'near')")
    t.sql(SYNC)
    shown(t)
    put(t, "a")
    t.sql("INSERT OVERWRITE t VALUES (20, 'near')")
    t.conf(LOWERS, "true")
    t.sql(SYNC)
    put(t, "b")


def case_of_what_is_none(t: Recorder) -> None:
    numbered_table(t)
    t.sql("ALTER TABLE t ALTER COLUMN v SYNC IDENTITY")
    t.sql("ALTER TABLE t ALTER COLUMN nope SYNC IDENTITY")
    t.sql("ALTER TABLE t CHANGE COLUMN ID SYNC IDENTITY")
    t.sql("CREATE TABLE p (id BIGINT) USING parquet")
    t.sql("ALTER TABLE p ALTER COLUMN id SYNC IDENTITY")


def case_of_a_renamed_column(t: Recorder) -> None:
    numbered_table(t, default=True, properties=MAPPED)
    t.sql("ALTER TABLE t RENAME COLUMN id TO nr")
    t.sql("INSERT INTO t VALUES (5, 'given')")
    t.sql("ALTER TABLE t ALTER COLUMN nr SYNC IDENTITY")
    put(t, "a")
