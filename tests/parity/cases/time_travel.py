"""VERSION AS OF, TIMESTAMP AS OF, the reader's options and path@v."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


# Long enough to let the scenarios travel to 2020.
KEEP = (
    "TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 30000 days',"
    " 'delta.logRetentionDuration' = 'interval 30000 days')"
)


def _three_versions(t: Recorder, properties: str = KEEP) -> None:
    """Version 0 on 1 January 2020, 1 on the 2nd, 2 on the 3rd, each at noon UTC."""
    t.spark.sql(f"CREATE TABLE t (id INT) USING delta {properties}")
    t.spark.sql("INSERT INTO t VALUES (1)")
    t.spark.sql("INSERT INTO t VALUES (2)")
    for version in range(3):
        day = dt.datetime(2020, 1, 1 + version, 12, tzinfo=dt.timezone.utc)
        t.date_commit("t", version, day)


def case_travel_by_version(t: Recorder) -> None:
    _three_versions(t)
    t.sql("SELECT * FROM t VERSION AS OF 0")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM t FOR VERSION AS OF 2")
    t.sql("SELECT * FROM t SYSTEM_VERSION AS OF '1'")
    t.sql("SELECT * FROM t VERSION AS OF 3")
    t.sql("SELECT * FROM t VERSION AS OF -1")
    t.sql("SELECT * FROM t VERSION AS OF 'x'")
    t.sql("SELECT * FROM t VERSION AS OF 1.5")
    t.sql("SELECT * FROM nope VERSION AS OF 1")


def case_travel_beyond_the_retention(t: Recorder) -> None:
    _three_versions(t, "")
    t.sql("SELECT * FROM t VERSION AS OF 0")
    t.sql("SELECT * FROM t VERSION AS OF 2")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 12:00:00'")
    t.show("load", lambda: t.spark.read.format("delta").load(f"{t.place('t')}@v1"))
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 1 day')")
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 29000"
        " days', 'delta.logRetentionDuration' = 'interval 29000 days')"
    )
    t.sql("SELECT * FROM t VERSION AS OF 1")


def case_travel_by_timestamp(t: Recorder) -> None:
    _three_versions(t)
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 12:00:00'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 11:59:59.999'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-03 12:00:00'")
    t.sql("SELECT * FROM t FOR SYSTEM_TIME AS OF DATE'2020-01-03'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF TIMESTAMP'2020-01-02 13:00:00' + INTERVAL 1 HOUR")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-01 11:59:59'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-03 12:00:01'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF 'yesterday'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF 1577966400")
    t.sql("SELECT * FROM t TIMESTAMP AS OF NULL")


def case_travel_by_timestamp_in_session_zone(t: Recorder) -> None:
    _three_versions(t)
    t.conf("spark.sql.session.timeZone", "America/New_York")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 01:59:59'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 02:00:00'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 06:59:59'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 07:00:00'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 11:59:59Z'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 12:00:00Z'")
    path = str(t.place("t"))
    for text in ("2020-01-02 06:59:59", "2020-01-02 07:00:00", "2020-01-02T12:00:00Z"):
        t.show(
            f"option {text}",
            lambda x=text: t.spark.read.format("delta").option("timestampAsOf", x).load(path),
        )
    t.sql(f"SELECT * FROM delta.`{path}@20200102065959000`")
    t.sql(f"SELECT * FROM delta.`{path}@20200102070000000`")


def case_travel_by_reader_options(t: Recorder) -> None:
    _three_versions(t)
    path = str(t.place("t"))

    def read(**options: object) -> None:
        frame = lambda: t.spark.read.format("delta").options(**options).load(path)
        t.show(f"load {options}", frame)

    read(versionAsOf=1)
    read(VERSIONASOF="0")
    read(versionAsOf=9)
    read(versionAsOf="x")
    read(versionAsOf=-1)
    read(timestampAsOf="2020-01-02 12:00:00")
    read(timestampAsOf="2020-01-03")
    read(timestampAsOf="2019-01-01")
    read(timestampAsOf="2030-01-01")
    read(timestampAsOf="x")
    read(versionAsOf=1, timestampAsOf="2020-01-02")
    t.show("table", lambda: t.spark.read.option("versionAsOf", 1).table("t"))
    t.show("table by time", lambda: t.spark.read.option("timestampAsOf", "2020-01-02").table("t"))


def case_travel_by_path_suffix(t: Recorder) -> None:
    _three_versions(t)
    path = t.place("t")
    t.sql(f"SELECT * FROM delta.`{path}@v1`")
    t.sql(f"SELECT * FROM delta.`{path}@V0`")
    t.sql(f"SELECT * FROM delta.`{path}@20200102120000000`")
    t.sql(f"SELECT * FROM delta.`{path}@v7`")
    t.sql(f"SELECT * FROM delta.`{path}@v1` VERSION AS OF 0")
    t.sql("SELECT * FROM `t@v1`")
    t.show("load", lambda: t.spark.read.format("delta").load(f"{path}@v1"))
    t.show(
        "load with an option too",
        lambda: t.spark.read.format("delta").option("versionAsOf", 1).load(f"{path}@v1"),
    )
    t.sql(f"INSERT INTO delta.`{path}@v1` VALUES (9)")


def case_travel_on_what_has_no_versions(t: Recorder) -> None:
    _three_versions(t)
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("SELECT * FROM v VERSION AS OF 1")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM t")
    t.sql("SELECT * FROM w VERSION AS OF 1")
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("SELECT * FROM p VERSION AS OF 1")
    t.sql("WITH c AS (SELECT * FROM t) SELECT * FROM c VERSION AS OF 1")


def case_travel_in_queries(t: Recorder) -> None:
    _three_versions(t)
    t.sql("SELECT a.id FROM t a LEFT ANTI JOIN (SELECT * FROM t VERSION AS OF 1) b ON a.id = b.id")
    t.sql("SELECT count(*) AS n FROM t VERSION AS OF 1")
    t.sql("CREATE VIEW old AS SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM old")
    t.sql("INSERT INTO t SELECT id + 10 FROM t VERSION AS OF 1")
    t.sql("INSERT OVERWRITE t SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM t")


def case_travel_to_an_older_schema(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS a")
    t.sql("CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (b) AS SELECT 'x' AS b, 2 AS c")
    t.sql("SELECT * FROM t VERSION AS OF 0")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT b FROM t VERSION AS OF 0")


def case_travel_times_made_monotone(t: Recorder) -> None:
    _three_versions(t)
    t.date_commit("t", 1, dt.datetime(2019, 5, 5, tzinfo=dt.timezone.utc))
    t.sql("SELECT version, timestamp FROM (DESCRIBE HISTORY t)")
    t.show(
        "history times",
        lambda: t.tables.DeltaTable.forName(t.spark, "t").history().select("version", "timestamp"),
    )
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-01 12:00:00'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-01 12:00:00.001'")


def case_travel_back_past_a_checkpoint(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '3')")
    for number in range(5):
        t.spark.sql(f"INSERT INTO t VALUES ({number})")
    t.value(
        "checkpoints",
        lambda: sorted(p.name for p in (t.place("t") / "_delta_log").glob("*.checkpoint*.parquet")),
    )
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM t VERSION AS OF 4")
    t.sql("SELECT * FROM t")
