"""VACUUM: which files go, what the history says of it, and which statements are refused."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from tests.parity.changing import FEED, MAPPED, VECTORS, put
from tests.parity.changing import make as make_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.parity.recorder import Recorder

CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
IGNORED = "spark.databricks.delta.vacuum.retentionWindowIgnore.enabled"
LOGGING = "spark.databricks.delta.vacuum.logging.enabled"
LITE = "spark.databricks.delta.vacuum.lite.enabled"
PARALLEL = "spark.databricks.delta.vacuum.parallelDelete.enabled"
THREADS = "spark.databricks.delta.vacuum.parallelDelete.parallelism"

# delta-spark lists folders in as many tasks, ten thousand if not told otherwise.
TASKS = "spark.sql.sources.parallelPartitionDiscovery.parallelism"

KINDS = (
    (re.compile(r"cdc-[^/]*$"), "<change file>"),
    (re.compile(r"part-[^/]*$"), "<data file>"),
    (re.compile(r"deletion_vector_[^/]*$"), "<vector>"),
)
MONTH = 30 * 86_400


def make(t: Recorder, *files: str, **options: Any) -> None:
    """Make a table and fill it, unseen; see `tests.parity.changing.make`."""
    t.conf(TASKS, "1")
    make_table(t, *files, **options)


def unchecked(t: Recorder) -> None:
    """Let a retention of no hours be asked for."""
    t.conf(CHECK, "false")


def dry_run(t: Recorder, clauses: str = "", table: str = "t") -> None:
    """Show what would be deleted, each file as what it is."""
    text = " ".join(f"VACUUM {table} {clauses} DRY RUN".split())
    t.rows(text, lambda: _kinds(row["path"] for row in t.spark.sql(text).collect()))


def vacuum(t: Recorder, clauses: str = "", table: str = "t") -> None:
    """Delete, then show what is left and what the history says."""
    t.sql(" ".join(f"VACUUM {table} {clauses}".split()))
    left(t, table)
    newest_commits(t, table)


def left(t: Recorder, table: str = "t") -> None:
    """Show what is in the folder, without logs and checksums."""
    root = t.place(table)
    t.rows("left", lambda: _kinds(str(p.relative_to(root)) for p in root.rglob("[!._]*")))


def _kinds(paths: Iterable[str]) -> list[str]:
    shown = []
    for path in paths:
        if "_delta_log" in path:
            continue
        for pattern, kind in KINDS:
            path = pattern.sub(kind, path)  # noqa: PLW2901
        shown.append(path)
    return sorted(shown)


def newest_commits(t: Recorder, table: str = "t", last: int = 2) -> None:
    """Show the newest commits as far as VACUUM makes them, sizes aside."""
    log = t.place(table) / "_delta_log"
    commits = sorted(p for p in log.glob("*.json") if p.stem.isdigit())[-last:]
    t.rows(
        "newest commits",
        lambda: [_shown(json.loads(p.read_text().splitlines()[0])) for p in commits],
    )


def _shown(line: dict[str, Any]) -> str:
    info = line["commitInfo"]
    keys = ("operation", "operationParameters", "operationMetrics", "isolationLevel")
    shown = {key: info.get(key) for key in (*keys, "isBlindAppend")}
    metrics = shown["operationMetrics"] or {}
    if metrics.get("sizeOfDataToDelete", "0") != "0":
        metrics["sizeOfDataToDelete"] = "<n>"
    return json.dumps(shown, sort_keys=True)


def position(t: Recorder, table: str = "t") -> None:
    """Show where LITE goes on."""
    info = t.place(table) / "_delta_log" / "_last_vacuum_info"
    t.value("position", lambda: json.loads(info.read_text()) if info.exists() else "none")


def age(t: Recorder, table: str = "t", below: str = "", seconds: int = MONTH) -> None:
    """Make files and folders look older, the log's excepted."""
    root = t.place(table)
    for path in (root / below).rglob("*"):
        if "_delta_log" not in path.parts:
            found = path.stat()
            os.utime(path, (found.st_atime - seconds, found.st_mtime - seconds))


def case_files_of_older_versions(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", "(3, 'c')")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    t.spark.sql("UPDATE t SET v = 'x' WHERE id = 2")
    dry_run(t)
    vacuum(t)
    dry_run(t, "RETAIN 0 HOURS")
    unchecked(t)
    dry_run(t, "RETAIN 0 HOURS")
    vacuum(t, "RETAIN 0 HOURS")
    vacuum(t, "RETAIN 0 HOURS")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 0")


def case_retention_of_the_table(t: Recorder) -> None:
    make(t, "(1, 'a')", properties={"delta.deletedFileRetentionDuration": "interval 0 hours"})
    t.spark.sql("DELETE FROM t")
    dry_run(t)
    dry_run(t, "RETAIN 0 HOURS")
    vacuum(t, "RETAIN 0 HOURS")


def case_partitions_with_change_data(t: Recorder) -> None:
    rows = "(1, 'x'), (2, 'y'), (3, 'a b')"
    make(t, rows, "(4, 'x')", columns="id INT, p STRING", by="p", properties=FEED)
    t.spark.sql("UPDATE t SET id = 5 WHERE id = 4")
    t.spark.sql("DELETE FROM t WHERE p = 'y'")
    unchecked(t)
    dry_run(t, "RETAIN 0 HOURS")
    vacuum(t, "RETAIN 0 HOURS")
    t.sql("SELECT * FROM t")


def case_deletion_vectors(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    t.spark.sql("DELETE FROM t WHERE id = 2")
    dry_run(t)
    unchecked(t)
    dry_run(t, "RETAIN 0 HOURS")
    vacuum(t, "RETAIN 0 HOURS")
    t.sql("SELECT * FROM t")


def case_mapped_columns(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", by="v", properties=MAPPED)
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    unchecked(t)
    t.value("would go", lambda: t.spark.sql("VACUUM t RETAIN 0 HOURS DRY RUN").count())
    t.sql("VACUUM t RETAIN 0 HOURS")
    newest_commits(t)
    t.sql("SELECT * FROM t")


def case_strays_and_folders(t: Recorder) -> None:
    make(t, "(1, 'a')")
    root = t.place("t")
    for name in ("old/x", "old/y z", "_hidden/x", ".hidden", "_change_data/x", "metadata/m.json"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    (root / "empty/in/side").mkdir(parents=True)
    age(t)
    dry_run(t)
    vacuum(t)


def case_partition_with_a_hidden_name(t: Recorder) -> None:
    make(t, "(1, 'a')", columns="id INT, _p STRING", by="_p")
    (t.place("t") / "_q=a").mkdir()
    (t.place("t") / "_q=a" / "x").write_text("x")
    (t.place("t") / "_p=a" / "stray").write_text("x")
    age(t)
    dry_run(t)
    vacuum(t)
    t.sql("SELECT * FROM t")


def case_nothing_to_do(t: Recorder) -> None:
    make(t)
    dry_run(t)
    vacuum(t)
    vacuum(t, "LITE")


def case_lite(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", "(3, 'c')", properties=FEED)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    (t.place("t") / "stray").write_text("x")
    dry_run(t, "LITE")
    vacuum(t, "LITE")
    unchecked(t)
    dry_run(t, "LITE RETAIN 0 HOURS")
    vacuum(t, "LITE RETAIN 0 HOURS")
    position(t)
    t.spark.sql("UPDATE t SET v = 'x' WHERE id = 2")
    dry_run(t, "LITE RETAIN 0 HOURS")
    vacuum(t, "RETAIN 0 HOURS LITE")
    position(t)
    t.sql("SELECT * FROM t")


def case_lite_by_setting(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.spark.sql("DELETE FROM t")
    (t.place("t") / "stray").write_text("x")
    unchecked(t)
    t.conf(LITE, "true")
    dry_run(t, "RETAIN 0 HOURS")
    dry_run(t, "FULL RETAIN 0 HOURS")


def case_lite_without_its_log(t: Recorder) -> None:
    make(t, *(f"({n}, 'a')" for n in range(11)))
    t.spark.sql("DELETE FROM t WHERE id = 1")
    for version in range(3):
        (t.place("t") / "_delta_log" / f"{version:020}.json").unlink()
    unchecked(t)
    dry_run(t, "LITE RETAIN 0 HOURS")
    t.sql("VACUUM t LITE")


def case_full_forgets_where_lite_was(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    unchecked(t)
    t.sql("VACUUM t LITE RETAIN 0 HOURS")
    position(t)
    t.sql("VACUUM t RETAIN 0 HOURS")
    position(t)


def case_inventory(t: Recorder) -> None:
    make(t, "(1, 'a')")
    root = t.place("t")
    for name in ("x", "y z", "_h", "young", "unlisted"):
        (root / name).write_text("x")
    unchecked(t)
    listed = ", ".join(
        f"('file:{root}/{name}', 1L, false, {time}L)"
        for name, time in (("x", 0), ("y z", 0), ("_h", 0), ("young", 9_000_000_000_000))
    )
    nulls = "(NULL, NULL, NULL, NULL)"
    t.spark.sql(
        "CREATE TABLE listed USING parquet AS SELECT * FROM VALUES"
        f" {listed}, ('file:/elsewhere/x', 1L, false, 0L)"
        " AS (path, length, isDir, modificationTime)"
    )
    query = f"(SELECT * FROM VALUES {listed}, {nulls} AS (path, length, isDir, modificationTime))"
    t.rows(
        "by a query",
        lambda: _kinds(
            row["path"].rpartition("/")[2]
            for row in t.spark.sql(
                f"VACUUM t USING INVENTORY {query} RETAIN 0 HOURS DRY RUN"
            ).collect()
            if row["path"]
        ),
    )
    dry_run(t, "USING INVENTORY listed RETAIN 0 HOURS")
    vacuum(t, "USING INVENTORY listed RETAIN 0 HOURS")


def case_inventory_of_other_columns(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.sql("VACUUM t USING INVENTORY (SELECT 'x' AS path) DRY RUN")
    t.sql(
        "VACUUM t USING INVENTORY (SELECT 'x' AS path, 1 AS length, false AS isDir,"
        " 0L AS modificationTime) DRY RUN"
    )
    t.sql("VACUUM t USING INVENTORY (SELECT nope) DRY RUN")


def case_history_is_a_setting(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.conf(LOGGING, "false")
    t.sql("VACUUM t")
    t.history("t")
    t.conf(LOGGING, "true")
    t.sql("VACUUM t")
    t.history("t")


def case_deletion_in_parallel(t: Recorder) -> None:
    make(t, *(f"({n}, 'a')" for n in range(4)))
    t.spark.sql("DELETE FROM t WHERE id < 3")
    unchecked(t)
    t.conf(PARALLEL, "true")
    t.conf(THREADS, "2")
    vacuum(t, "RETAIN 0 HOURS")


def case_retention_that_is_refused(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.conf(IGNORED, "false")
    for hours in ("-1", "0", "1", "167", "168", "1000", "167.9"):
        dry_run(t, f"RETAIN {hours} HOURS")
    unchecked(t)
    t.sql("VACUUM t RETAIN -1 HOURS")
    t.sql("VACUUM t RETAIN 3 HOURS")
    newest_commits(t)


def case_retention_that_is_ignored(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.conf(IGNORED, "true")
    for hours in ("-1", "0", "1", "167", "1000"):
        dry_run(t, f"RETAIN {hours} HOURS")
    t.sql("VACUUM t RETAIN 167 HOURS")
    newest_commits(t)


def case_retention_by_default(t: Recorder) -> None:
    make(t, "(1, 'a')")
    for hours in ("-1", "167", "168"):
        dry_run(t, f"RETAIN {hours} HOURS")


def case_misspelled(t: Recorder) -> None:
    make(t, "(1, 'a')")
    for clauses in (
        "FULL LITE",
        "RETAIN 200 HOURS RETAIN 200 HOURS",
        "DRY RUN DRY RUN",
        "LITE USING INVENTORY x",
        "RETAIN HOURS",
        "RETAIN 200",
        "RETAIN 200 DAYS",
        "RETAIN '200' HOURS",
        "DRY",
        "USING INVENTORY",
        "WHERE id = 1",
    ):
        t.sql(f"VACUUM t {clauses}")
    t.sql("VACUUM")
    t.sql("VACUUM TABLE t")
    t.sql("VACUUM t DRY RUN RETAIN 200 HOURS FULL")


def case_not_a_delta_table(t: Recorder) -> None:
    t.sql("VACUUM nope")
    t.sql(f"VACUUM '{t.path}'")
    t.sql(f"VACUUM delta.`{t.path}`")
    t.spark.range(1).write.parquet(t.path)
    t.sql(f"VACUUM '{t.path}'")
    t.sql(f"VACUUM delta.`{t.path}`")
    t.spark.sql("CREATE TABLE q (id INT) USING parquet")
    t.sql("VACUUM q")
    t.spark.range(1).createOrReplaceTempView("tv")
    t.sql("VACUUM tv")
    t.spark.sql("CREATE VIEW v AS SELECT 1 AS id")
    t.sql("VACUUM v")


def case_path_of_a_partition(t: Recorder) -> None:
    make(t, "(1, 'a')", by="v", table=f"delta.`{t.path}`")
    t.sql(f"VACUUM '{t.path}/v=a'")
    t.sql(f"VACUUM delta.`{t.path}/v=a`")


def case_by_path_and_by_method(t: Recorder) -> None:
    make(t, "(1, 'a')", table=f"delta.`{t.path}`")
    t.spark.sql(f"DELETE FROM delta.`{t.path}`")
    t.sql(f"VACUUM '{t.path}'")
    t.sql(f"VACUUM delta.`{t.path}` RETAIN 200 HOURS")
    table = t.tables.DeltaTable.forPath(t.spark, t.path)
    t.show("vacuum()", table.vacuum)
    t.show("vacuum(200)", lambda: table.vacuum(200))
    t.show("vacuum(200.5)", lambda: table.vacuum(200.5))
    t.show("vacuum(0)", lambda: table.vacuum(0))
    unchecked(t)
    t.show("vacuum(0) unchecked", lambda: table.vacuum(0))
    left(t, t.path)
    t.history(f"'{t.path}'")


def case_versions_of_the_table_go_on(t: Recorder) -> None:
    make(t, "(1, 'a')", properties={"delta.checkpointInterval": "2"})
    t.sql("VACUUM t")
    log = t.place("t") / "_delta_log"
    t.rows("checkpoints", lambda: sorted(p.name[18:20] for p in log.glob("*.checkpoint.parquet")))
    put(t, "(2, 'b')")
    t.sql("SELECT * FROM t VERSION AS OF 2")
    t.sql("SELECT * FROM t")
