"""Streams with a tracking log of the schema: changes that would stop them for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.streaming import Reading, insert, properties, table_of

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

A, B, C = "(1, 'a')", "(2, 'b')", "(3, 'c')"
MAPPED = properties("columnMapping.mode=name")


class Tracking(Reading):
    """A query that keeps the schema of its source below its checkpoint."""

    def run(self, label: str, **options: object) -> None:
        place = self.checkpoint / "schemas"
        super().run(label, **{"schemaTrackingLocation": str(place), **options})


def case_renamed_column(t: Recorder) -> None:
    table_of(t, A, more=MAPPED)
    query = Tracking(t)
    query.run("first start")
    query.run("second start")
    insert(t, B)
    t.sql("ALTER TABLE t RENAME COLUMN v TO w")
    insert(t, C)
    query.run("renamed")
    query.run("refused")
    query.run("another option", allowSourceColumnDrop="always")
    query.run("allowed", allowSourceColumnRename="always")
    query.run("without it again")
    insert(t, "(4, 'd')")
    query.run("more", allowSourceColumnRename="3")


def case_dropped_column(t: Recorder) -> None:
    table_of(t, A, more=MAPPED)
    query = Tracking(t)
    query.run("first start")
    t.sql("ALTER TABLE t DROP COLUMN v")
    t.spark.sql("INSERT INTO t VALUES (2)")
    query.run("dropped")
    query.run("refused")
    t.conf("spark.databricks.delta.streaming.allowSourceColumnDrop", "always")
    query.run("allowed by the session")


def case_renamed_and_dropped_columns(t: Recorder) -> None:
    table_of(t, A, more=MAPPED)
    query = Tracking(t)
    query.run("first start")
    t.sql("ALTER TABLE t RENAME COLUMN id TO key")
    t.sql("ALTER TABLE t DROP COLUMN v")
    t.spark.sql("INSERT INTO t VALUES (2)")
    query.run("changed")
    query.run("one option", allowSourceColumnRename="always")
    query.run("allowed", allowSourceColumnRenameAndDrop="always")


def case_added_column(t: Recorder) -> None:
    table_of(t, A)
    query = Tracking(t)
    query.run("first start")
    t.sql("ALTER TABLE t ADD COLUMN w INT")
    insert(t, "(2, 'b', 3)")
    query.run("added")
    query.run("second start")


def case_changed_properties(t: Recorder) -> None:
    table_of(t, A)
    query = Tracking(t)
    query.run("first start")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('mine' = '1')")
    insert(t, B)
    query.run("a property of the user")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = '9 days')")
    insert(t, C)
    query.run("a property of Delta")
    query.run("after it")


def case_changes_in_a_row(t: Recorder) -> None:
    table_of(t, A, more=MAPPED)
    query = Tracking(t)
    query.run("first start")
    for old, new in (("v", "w"), ("w", "x"), ("x", "y")):
        t.sql(f"ALTER TABLE t RENAME COLUMN {old} TO {new}")
    insert(t, B)
    query.run("renamed")
    query.run("allowed", allowSourceColumnRename="always")
    query.run("once more", allowSourceColumnRename="always")


def case_changes_are_not_merged(t: Recorder) -> None:
    name = "spark.databricks.delta.streaming.schemaTracking.mergeConsecutiveSchemaChanges.enabled"
    t.conf(name, "false")
    case_changes_in_a_row(t)


def case_refused_places(t: Recorder) -> None:
    table_of(t, A)
    Tracking(t, "outside").run("outside", schemaTrackingLocation=t.folder("elsewhere"))
    name = "spark.databricks.delta.streaming.allowSchemaLocationOutsideCheckpointLocation"
    t.conf(name, "true")
    Tracking(t, "allowed").run("allowed", schemaTrackingLocation=t.folder("elsewhere"))
    Tracking(t, "loss").run("with failOnDataLoss", failOnDataLoss="false")


def case_tracking_is_off(t: Recorder) -> None:
    t.conf("spark.databricks.delta.streaming.schemaTracking.enabled", "false")
    table_of(t, A, more=MAPPED)
    query = Tracking(t)
    query.run("first start")
    t.sql("ALTER TABLE t RENAME COLUMN v TO w")
    insert(t, B)
    query.run("renamed")
