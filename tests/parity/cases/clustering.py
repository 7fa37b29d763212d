"""OPTIMIZE ... ZORDER BY and OPTIMIZE of clustered tables: results, history, tags of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.parity.cases.optimize import PARTED, PARTED_ROWS, optimize
from tests.parity.changing import MAPPED, THREE_AND_TWO, TRACKED, VECTORS, make, put, versions

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

WIDE = "a INT, b STRING, s STRUCT<x: INT, y: STRING>, n INT"
WIDE_ROWS = (
    "(1, 'a', named_struct('x', 1, 'y', 'k'), 1), (2, 'b', named_struct('x', 2, 'y', 'l'), NULL)",
    "(3, NULL, NULL, 3), (4, 'd', named_struct('x', NULL, 'y', 'm'), 4)",
    "(5, 'e', named_struct('x', 5, 'y', NULL), 5)",
)
CUBES = "spark.databricks.delta.optimize.clustering.mergeStrategy.minCubeSize"


def clustered(t: Recorder, by: str = "a, b", properties: str = "") -> None:
    """Make a clustered table of three files, unseen."""
    t.spark.sql(f"CREATE TABLE t ({WIDE}) USING delta CLUSTER BY ({by}) {properties}")
    for rows in WIDE_ROWS:
        put(t, rows)


def _files(t: Recorder) -> None:
    """Show the rows, and the files of the last version: tags without ids, and provider."""
    t.sql("SELECT * FROM t")
    t.value("files", lambda: t.spark.sql("DESCRIBE DETAIL t").first()["numFiles"])
    t.rows("tags", lambda: tags_of_last_commit(t))
    versions(t)


def tags_of_last_commit(t: Recorder) -> list[str]:
    """The tags of files that the last version added or removed, and how many cubes they name."""
    location = t.spark.sql("DESCRIBE DETAIL t").first()["location"]
    log = Path(location.removeprefix("file:"), "_delta_log")
    [*_, last] = sorted(log.glob("*.json"))
    ids: set[str] = set()
    lines = []
    for text in last.read_text("utf-8").splitlines():
        [(kind, body)] = json.loads(text).items()
        if kind not in ("add", "remove"):
            continue
        tags = body.get("tags")
        if tags and "ZCUBE_ID" in tags:
            ids.add(tags["ZCUBE_ID"])
            tags["ZCUBE_ID"] = "<id>"
        lines.append(f"{kind} {json.dumps(tags, sort_keys=True)} {body.get('clusteringProvider')}")
    return [*sorted(lines), f"{len(ids)} cubes"]


# ---------------------------------------------------------------------------------------- ZORDER BY


def case_z_order(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    optimize(t, "ZORDER BY (id, v)")
    _files(t)
    t.history("t")
    t.log("t", 3)
    optimize(t, "ZORDER BY id")
    _files(t)


def case_z_order_of_partitions(t: Recorder) -> None:
    make(t, *PARTED_ROWS, columns=PARTED, by="p")
    optimize(t, "WHERE p = 'x' ZORDER BY (id)")
    _files(t)
    optimize(t, "ZORDER BY (v, id)")
    _files(t)
    optimize(t, "WHERE p = 'nope' ZORDER BY (id)")


def case_z_order_of_an_empty_table(t: Recorder) -> None:
    make(t)
    optimize(t, "ZORDER BY (id)")
    versions(t)


def case_z_order_into_several_files(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id LONG, v STRING) USING delta")
    t.spark.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ id, uuid() FROM range(20000)")
    t.conf("spark.databricks.delta.optimize.maxFileSize", "300000")
    t.value("added", lambda: _added(t, "OPTIMIZE t ZORDER BY (id, v)"))
    t.sql("SELECT count(*), sum(id), count(DISTINCT v) FROM t")


def _added(t: Recorder, text: str) -> int:
    return int(t.spark.sql(text).first()["metrics"]["numFilesAdded"])


def case_z_order_of_kinds_of_columns(t: Recorder) -> None:
    make(
        t,
        "(true, X'01', array(1, 2), named_struct('x', 1), 1)",
        "(NULL, NULL, NULL, NULL, NULL)",
        columns="f BOOLEAN, b BINARY, l ARRAY<INT>, s STRUCT<x: INT>, n INT",
    )
    for columns in ("f", "b", "l", "s", "s.x", "n, n", "N", "`n`", "f, b, l, s, n"):
        optimize(t, f"ZORDER BY ({columns})")
    _files(t)
    t.history("t")


def case_z_order_of_deletion_vectors(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    optimize(t, "ZORDER BY (id)")
    _files(t)
    t.log("t", 4)


def case_z_order_of_tracked_rows(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=TRACKED)
    optimize(t, "ZORDER BY (id)")
    t.sql("SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t ORDER BY id")


def case_z_order_of_mapped_columns(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=MAPPED)
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    optimize(t, "ZORDER BY (w, id)")
    optimize(t, "ZORDER BY (v)")
    _files(t)


def case_z_order_refused(t: Recorder) -> None:
    make(t, *PARTED_ROWS, columns=PARTED, by="p")
    optimize(t, "ZORDER BY (p)")
    optimize(t, "ZORDER BY (nope)")
    optimize(t, "ZORDER BY (id.x)")
    optimize(t, "ZORDER BY (nope, p)")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id')")
    optimize(t, "ZORDER BY (v)")
    optimize(t, "ZORDER BY (id, v)")
    t.conf("spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled", "false")
    optimize(t, "ZORDER BY (v)")
    versions(t)


def case_z_order_of_a_map(t: Recorder) -> None:
    make(t, "(1, map(1, 2))", "(2, map(3, 4))", columns="id INT, m MAP<INT, INT>")
    t.sql("OPTIMIZE t ZORDER BY (m)")
    versions(t)


# ------------------------------------------------------------------------------- clustered tables


def case_clustered_table(t: Recorder) -> None:
    clustered(t)
    optimize(t)
    _files(t)
    t.history("t")
    t.log("t", 4)
    optimize(t)
    put(t, "(6, 'f', NULL, 6)")
    optimize(t)
    _files(t)
    optimize(t, "FULL")
    versions(t)
    t.detail("t")


def case_clustered_by_one_column_and_by_a_field(t: Recorder) -> None:
    clustered(t, "s.x")
    optimize(t)
    _files(t)
    t.history("t")


def case_clustered_empty_table(t: Recorder) -> None:
    t.spark.sql(f"CREATE TABLE t ({WIDE}) USING delta CLUSTER BY (a)")
    optimize(t)
    optimize(t, "FULL")
    versions(t)


def case_clustered_by_other_columns(t: Recorder) -> None:
    clustered(t)
    optimize(t)
    t.sql("ALTER TABLE t CLUSTER BY (b, a)")
    optimize(t)
    versions(t)
    put(t, "(6, 'f', NULL, 6)")
    optimize(t)
    _files(t)
    optimize(t, "FULL")
    _files(t)
    optimize(t, "FULL")
    optimize(t)
    versions(t)
    t.history("t")


def case_clustered_full_with_files_of_both(t: Recorder) -> None:
    clustered(t)
    optimize(t)
    t.sql("ALTER TABLE t CLUSTER BY (n)")
    put(t, "(6, 'f', NULL, 6)")
    optimize(t, "FULL")
    _files(t)


def case_clustered_no_longer(t: Recorder) -> None:
    clustered(t)
    optimize(t)
    put(t, "(6, 'f', NULL, 6)")
    t.sql("ALTER TABLE t CLUSTER BY NONE")
    optimize(t, "FULL")
    optimize(t, "ZORDER BY (a)")
    optimize(t, "WHERE a = 1")
    optimize(t)
    _files(t)
    t.history("t")


def case_clustered_later(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    optimize(t, "FULL")
    t.sql("ALTER TABLE t CLUSTER BY (v)")
    optimize(t)
    _files(t)


def case_clustered_stable_cubes(t: Recorder) -> None:
    clustered(t)
    t.conf(f"{CUBES}.threshold", "1000")
    optimize(t)
    put(t, "(6, 'f', NULL, 6)")
    put(t, "(7, 'g', NULL, 7)")
    optimize(t)
    _files(t)
    optimize(t)
    optimize(t, "FULL")
    versions(t)


def case_clustered_cubes_of_a_size(t: Recorder) -> None:
    t.conf(f"{CUBES}.threshold", "100000000")
    clustered(t)
    optimize(t)
    t.conf(f"{CUBES}.targetCubeSize", "1")
    t.conf(f"{CUBES}.threshold", "1")
    for number in range(6, 9):
        put(t, f"({number}, 'f', NULL, 6)")
    optimize(t)
    _files(t)
    t.conf(f"{CUBES}.threshold", "100000000")
    optimize(t)
    _files(t)


def case_clustered_into_several_files(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id LONG, v STRING) USING delta CLUSTER BY (id, v)")
    t.spark.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ id, uuid() FROM range(20000)")
    t.conf("spark.databricks.delta.optimize.maxFileSize", "300000")
    t.value("added", lambda: _added(t, "OPTIMIZE t"))
    t.rows("tags", lambda: tags_of_last_commit(t))
    t.sql("SELECT count(*), sum(id), count(DISTINCT v) FROM t")


def case_clustered_deletion_vectors(t: Recorder) -> None:
    clustered(t, properties="TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    t.spark.sql("DELETE FROM t WHERE a = 1")
    optimize(t)
    _files(t)
    t.spark.sql("DELETE FROM t WHERE a = 3")
    optimize(t)
    put(t, "(6, 'f', NULL, 6)")
    optimize(t)
    _files(t)


def case_clustered_tracked_rows(t: Recorder) -> None:
    clustered(t, properties="TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    optimize(t)
    t.sql("SELECT a, _metadata.row_id, _metadata.row_commit_version FROM t ORDER BY a")
    t.rows("tags", lambda: tags_of_last_commit(t))


def case_clustered_mapped_columns(t: Recorder) -> None:
    clustered(t, properties="TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    optimize(t)
    t.sql("ALTER TABLE t RENAME COLUMN a TO z")
    t.detail("t")
    put(t, "(6, 'f', NULL, 6)")
    optimize(t)
    _files(t)
    optimize(t, "FULL")
    _files(t)
    t.sql("ALTER TABLE t DROP COLUMN z")
    t.sql("ALTER TABLE t DROP COLUMN n")


def case_clustered_changes_of_rows(t: Recorder) -> None:
    clustered(t)
    optimize(t)
    t.sql("UPDATE t SET n = 0 WHERE a = 1")
    _files(t)
    optimize(t)
    _files(t)


def case_clustered_builder(t: Recorder) -> None:
    clustered(t)
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.attempt("z-order", lambda: table.optimize().executeZOrderBy("a"))
    t.attempt("where", lambda: table.optimize().where("a = 1").executeCompaction())
    t.value("files", lambda: table.optimize().executeCompaction().first().metrics.numFilesAdded)
    _files(t)


def case_clustered_purge(t: Recorder) -> None:
    clustered(t, properties="TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    optimize(t)
    t.spark.sql("DELETE FROM t WHERE a = 1")
    t.attempt("purge", lambda: t.spark.sql("REORG TABLE t APPLY (PURGE)").first())
    t.sql("SELECT * FROM t")
    versions(t)
