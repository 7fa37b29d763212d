"""GENERATE, and the manifests of tables that ask for them: which there are, and what they list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import MAPPED, VECTORS, make, put, versions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.parity.recorder import Recorder

GENERATE = "GENERATE symlink_format_manifest FOR TABLE"
ASKED = {"delta.compatibility.symlinkFormatManifest.enabled": "true"}
SET = (
    "ALTER TABLE t SET TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true')"
)
PARTED = "id INT, v STRING, p STRING"


def _manifests(t: Recorder, step: str, table: str = "t") -> None:
    """Show the manifests, with the rows in the files that each lists."""
    root = t.place(table) / "_symlink_format_manifest"
    t.rows(step, lambda: sorted(f"{_name(p, root)}: {_rows(t, p)}" for p in root.rglob("manifest")))


def _name(path: Path, root: Path) -> str:
    return str(path.relative_to(root))


def _rows(t: Recorder, path: Path) -> list[int]:
    files = path.read_text().splitlines()
    if not all(file.startswith("file:/") and not file.startswith("file://") for file in files):
        raise ValueError(files)
    if not files:
        return []
    found = t.spark.read.parquet(*(f.removeprefix("file:").replace("%", "%25") for f in files))
    return sorted(row.id for row in found.select("id").collect())


def case_generate(t: Recorder) -> None:
    make(t)
    t.sql(f"{GENERATE} t")
    _manifests(t, "without files")
    put(t, "(1, 'a')")
    put(t, "(2, 'b')")
    t.sql("GENERATE Symlink_Format_Manifest FOR TABLE t")
    _manifests(t, "of two files")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    _manifests(t, "not yet written again")
    t.sql(f"{GENERATE} t")
    _manifests(t, "of one file")
    versions(t)


def case_generate_for_partitions(t: Recorder) -> None:
    make(t, "(1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', NULL)", columns=PARTED, by="p")
    t.sql(f"{GENERATE} t")
    _manifests(t, "three partitions")
    t.spark.sql("DELETE FROM t WHERE p = 'x'")
    put(t, "(4, 'd', 'y')")
    t.sql(f"{GENERATE} t")
    _manifests(t, "two partitions")


def case_generate_for_two_partition_columns(t: Recorder) -> None:
    columns = "id INT, d DATE, n INT"
    make(t, "(1, DATE'2024-01-02', 7), (2, NULL, 8)", columns=columns, by="d, n")
    t.sql(f"{GENERATE} t")
    _manifests(t, "manifests")


def case_generate_for_times(t: Recorder) -> None:
    make(t, "(1, TIMESTAMP'2024-01-02 03:04:05')", columns="id INT, ts TIMESTAMP", by="ts")
    t.sql(f"{GENERATE} t")
    root = t.place("t") / "_symlink_format_manifest"
    t.rows("folders", lambda: sorted(p.parent.name for p in root.rglob("manifest")))


def case_generate_by_python(t: Recorder) -> None:
    make(t, "(1, 'a')")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.value("generated", lambda: table.generate("symlink_format_manifest"))
    _manifests(t, "manifests")
    t.value("other mode", lambda: table.generate("other"))
    t.value("no text", lambda: table.generate(5))


def case_generate_refused(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", properties=VECTORS)
    t.sql(f"{GENERATE} t")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    t.sql(f"{GENERATE} t")
    make(t, "(1, 'a')", properties=MAPPED, table="mapped")
    t.sql(f"{GENERATE} mapped")
    t.sql("GENERATE other FOR TABLE t")
    t.sql("GENERATE symlink_format_manifest t")
    t.sql("GENERATE symlink_format_manifest FOR TABLE")
    t.sql(f"{GENERATE} nope")
    t.spark.sql("CREATE TABLE other (id INT) USING parquet")
    t.sql(f"{GENERATE} other")
    t.spark.sql("CREATE TEMPORARY VIEW v AS SELECT 1 AS id")
    t.sql(f"{GENERATE} v")
    t.sql(f"{GENERATE} delta.`{t.path}`")


def case_manifests_after_commits(t: Recorder) -> None:
    make(t, "(1, 'a', 'x'), (2, 'b', 'y')", columns=PARTED, by="p", properties=ASKED)
    _manifests(t, "first rows")
    put(t, "(3, 'c', 'z')")
    _manifests(t, "a new partition")
    t.spark.sql("DELETE FROM t WHERE p = 'x'")
    _manifests(t, "a partition less")
    put(t, "(4, 'd', 'z')")
    _manifests(t, "a second file")
    t.spark.sql("UPDATE t SET p = 'y' WHERE id = 3")
    _manifests(t, "a row in another partition")
    t.spark.sql("INSERT OVERWRITE t VALUES (9, 'i', 'w')")
    _manifests(t, "all replaced")


def case_manifests_once_they_are_asked_for(t: Recorder) -> None:
    make(t, "(1, 'a', 'x'), (2, 'b', 'y')", columns=PARTED, by="p")
    t.sql(SET)
    put(t, "(3, 'c', 'z')")
    _manifests(t, "all partitions")


def case_manifests_after_restore(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", properties=ASKED)
    t.spark.sql("RESTORE TABLE t TO VERSION AS OF 1").collect()
    _manifests(t, "restored")


def case_manifests_and_what_they_cannot_tell(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    t.sql(SET)
    versions(t)
