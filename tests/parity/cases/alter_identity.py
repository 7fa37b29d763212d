"""ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY on columns that are no identity columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_sync_identity_of_other_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT, s STRUCT<a: BIGINT>) USING delta")
    t.sql("ALTER TABLE t ALTER COLUMN id SYNC IDENTITY")
    t.sql("ALTER TABLE t CHANGE COLUMN ID SYNC IDENTITY")
    t.sql("ALTER TABLE t ALTER id SYNC IDENTITY")
    t.sql("ALTER TABLE t CHANGE `id` sync /* now */ identity;")
    t.sql("ALTER TABLE t ALTER COLUMN s.a SYNC IDENTITY")
    t.sql("ALTER TABLE t ALTER COLUMN nope SYNC IDENTITY")
    t.sql("ALTER TABLE t ALTER COLUMN id SYNC")
    t.history("t")


def case_sync_identity_of_what_is_no_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT) USING delta")
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("ALTER TABLE v ALTER COLUMN id SYNC IDENTITY")
    t.sql("ALTER TABLE nope ALTER COLUMN id SYNC IDENTITY")
    t.sql(f"CREATE TABLE delta.`{t.path}` (id BIGINT) USING delta")
    t.sql(f"ALTER TABLE delta.`{t.path}` ALTER COLUMN id SYNC IDENTITY")
    t.sql(f"ALTER TABLE delta.`{t.folder('none')}` ALTER COLUMN id SYNC IDENTITY")
