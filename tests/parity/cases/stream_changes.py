"""Change feeds of Delta tables as streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.streaming import Reading, insert, properties, table_of

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

A, B, C = "(1, 'a')", "(2, 'b')", "(3, 'c')"
FEED = properties("enableChangeDataFeed=true")


class Feed(Reading):
    """A query over the changes of `t`; the time of a commit is left out."""

    def run(self, label: str, **options: object) -> None:
        super().run(label, readChangeFeed="true", **options)

    @staticmethod
    def shown(row: tuple[object, ...]) -> tuple[object, ...]:
        return row[:-1]


def case_snapshot_then_changes(t: Recorder) -> None:
    table_of(t, A, B, more=FEED)
    query = Feed(t)
    query.run("snapshot")
    t.sql("UPDATE t SET v = 'z' WHERE id = 1")
    t.sql("DELETE FROM t WHERE id = 2")
    insert(t, C)
    query.run("changes")
    query.run("nothing new")


def case_files_of_a_trigger(t: Recorder) -> None:
    table_of(t, A, f"{B}, {C}", more=FEED)
    t.sql("UPDATE t SET v = concat(v, '2')")
    t.sql("UPDATE t SET v = 'z' WHERE id = 1")
    insert(t, "(4, 'd')")
    Feed(t).run("one a batch", startingVersion=0, maxFilesPerTrigger=1)
    Feed(t, "two").run("two a batch", startingVersion=1, maxFilesPerTrigger=2)


def case_versions_without_files(t: Recorder) -> None:
    table_of(t, A, B, more=FEED)
    for row in ("(4, 'd')", "(5, 'e')"):
        t.sql("ALTER TABLE t SET TBLPROPERTIES ('one' = '1')")
        t.sql("ALTER TABLE t SET TBLPROPERTIES ('two' = '2')")
        t.sql("UPDATE t SET v = concat(v, 'z') WHERE id = 1")
        insert(t, row)
    for files in (1, 2, 3):
        name = f"{files} a batch"
        Feed(t, name).run(name, startingVersion=0, maxFilesPerTrigger=files)


def case_merge_and_overwrite(t: Recorder) -> None:
    table_of(t, A, B, more=FEED)
    t.sql(
        "MERGE INTO t USING (SELECT 2L AS id, 'y' AS v UNION ALL SELECT 9L, 'n') s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    t.sql("INSERT OVERWRITE t VALUES (5, 'e')")
    t.spark.sql("OPTIMIZE t")
    Feed(t).run("changes", startingVersion=3)


def case_marked_rows(t: Recorder) -> None:
    more = properties("enableChangeDataFeed=true", "enableDeletionVectors=true")
    t.sql(f"CREATE TABLE t (id BIGINT) USING delta {more}")
    t.spark.range(0, 4, 1, 1).write.format("delta").mode("append").saveAsTable("t")
    t.sql("DELETE FROM t WHERE id = 1")
    t.sql("UPDATE t SET id = 20 WHERE id = 2")
    Feed(t).run("changes", startingVersion=1)


def case_feed_is_off(t: Recorder) -> None:
    table_of(t, A)
    Feed(t, "never").run("never on", startingVersion=0)
    Feed(t, "snapshot").run("snapshot")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    insert(t, B)
    Feed(t, "before").run("before it was on", startingVersion=1)
    Feed(t, "since").run("since it is on", startingVersion=2)
    query = Feed(t, "off")
    query.run("on", startingVersion=3)
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'false')")
    insert(t, C)
    query.run("switched off", startingVersion=3)


def case_options_without_effect(t: Recorder) -> None:
    table_of(t, f"{A}, {B}", more=FEED)
    t.sql("DELETE FROM t WHERE id = 1")
    for name in ("ignoreDeletes", "ignoreChanges", "skipChangeCommits"):
        Feed(t, name).run(name, startingVersion=1, **{name: "true"})


def case_added_column(t: Recorder) -> None:
    table_of(t, A, more=FEED)
    query = Feed(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t ADD COLUMN w INT")
    insert(t, "(2, 'b', 3)")
    query.run("first start")
    query.run("second start")


def case_renamed_column(t: Recorder) -> None:
    more = properties("enableChangeDataFeed=true", "columnMapping.mode=name")
    table_of(t, A, more=more)
    query = Feed(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t RENAME COLUMN v TO w")
    insert(t, B)
    query.run("renamed")


def case_columns_of_the_feed_in_the_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT, _change_type STRING) USING delta")
    Feed(t).run("read")
    Reading(t, "plain").run("as rows")
