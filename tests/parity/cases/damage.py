"""Missing, damaged and too new tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _table(t: Recorder) -> Path:
    """Three versions at the scenario's path; gives the log's folder."""
    t.spark.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.spark.sql(f"INSERT INTO delta.`{t.path}` VALUES (1)")
    t.spark.sql(f"INSERT INTO delta.`{t.path}` VALUES (2)")
    return Path(t.path) / "_delta_log"


def _copy(t: Recorder, name: str) -> Path:
    """A copy of the table under a name that no cache knows; gives its log's folder."""
    target = Path(t.folder(name))
    shutil.copytree(t.path, target)
    for crc in (target / "_delta_log").glob("*.crc"):
        crc.unlink()
    for crc in (target / "_delta_log").glob(".*.crc"):
        crc.unlink()
    return target / "_delta_log"


def _commit(log: Path, version: int, *actions: dict[str, Any]) -> None:
    text = "".join(json.dumps(action) + "\n" for action in actions)
    (log / f"{version:020}.json").write_text(text, "utf-8")


def _try(t: Recorder, label: str, log: Path) -> None:
    path = str(log.parent)
    t.show(f"read {label}", lambda: t.spark.read.format("delta").load(path))
    t.attempt(
        f"append {label}",
        lambda: t.spark.sql("SELECT 9 AS id").write.format("delta").mode("append").save(path),
    )


def case_damage_missing_things(t: Recorder) -> None:
    t.sql("SELECT * FROM nope")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.sql("DESCRIBE HISTORY nope")
    t.sql("DESCRIBE DETAIL nope")
    t.sql("INSERT INTO nope SELECT 1")
    t.sql("ALTER TABLE nope SET TBLPROPERTIES ('a' = 'b')")
    t.attempt("load", lambda: t.spark.read.format("delta").load(t.path))
    t.attempt("table", lambda: t.spark.read.format("delta").table("nope"))
    Path(t.path).mkdir(parents=True)
    t.attempt("load empty folder", lambda: t.spark.read.format("delta").load(t.path))
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    (Path(t.path) / "_delta_log").mkdir()
    t.attempt("load empty log", lambda: t.spark.read.format("delta").load(t.path))


def case_damage_commit_missing(t: Recorder) -> None:
    _table(t)
    gap = _copy(t, "gap")
    (gap / f"{1:020}.json").unlink()
    _try(t, "with a gap", gap)
    first = _copy(t, "first")
    (first / f"{0:020}.json").unlink()
    _try(t, "without version 0", first)
    last = _copy(t, "last")
    (last / f"{2:020}.json").unlink()
    _try(t, "without the last version", last)


def case_damage_commit_unreadable(t: Recorder) -> None:
    _table(t)
    broken = _copy(t, "broken")
    (broken / f"{2:020}.json").write_text('{"add": {"path": \n', "utf-8")
    _try(t, "with half a line", broken)
    empty = _copy(t, "empty")
    (empty / f"{2:020}.json").write_text("", "utf-8")
    _try(t, "with an empty commit", empty)
    strange = _copy(t, "strange")
    _commit(strange, 3, {"somethingNew": {"a": 1}}, {"commitInfo": {"operation": "X"}})
    _try(t, "with an unknown action", strange)


def case_damage_data_file_missing(t: Recorder) -> None:
    _table(t)
    log = _copy(t, "files")
    for file in log.parent.glob("*.parquet"):
        file.unlink()
    t.show("read", lambda: t.spark.read.format("delta").load(str(log.parent)))
    t.value("count", lambda: t.spark.read.format("delta").load(str(log.parent)).count())


def case_damage_log_without_metadata(t: Recorder) -> None:
    _table(t)
    for missing in ("metaData", "protocol"):
        log = _copy(t, f"no_{missing}")
        commit = log / f"{0:020}.json"
        lines = [x for x in commit.read_text("utf-8").splitlines() if f'"{missing}"' not in x]
        commit.write_text("\n".join(lines) + "\n", "utf-8")
        _try(t, f"without {missing}", log)


def case_damage_too_new(t: Recorder) -> None:
    _table(t)
    for label, protocol in {
        "reader 99": {"minReaderVersion": 99, "minWriterVersion": 99},
        "writer 99": {"minReaderVersion": 1, "minWriterVersion": 99},
        "reader feature": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["fromTheFuture"],
            "writerFeatures": ["fromTheFuture"],
        },
        "writer feature": {
            "minReaderVersion": 1,
            "minWriterVersion": 7,
            "writerFeatures": ["fromTheFuture"],
        },
    }.items():
        log = _copy(t, label.replace(" ", "_"))
        _commit(log, 3, {"protocol": protocol})
        _try(t, label, log)
        t.detail(f"delta.`{log.parent}`")


def case_damage_table_whose_log_is_gone(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    shutil.rmtree(t.place("t") / "_delta_log")
    t.sql("SELECT * FROM t")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql("DESCRIBE DETAIL t")
    t.sql("DROP TABLE t")
    t.sql("SHOW TABLES")


def case_damage_table_written_anew(t: Recorder) -> None:
    t.attempt("first", lambda: t.spark.sql("SELECT 1 AS a").write.format("delta").save(t.path))
    t.show("read", lambda: t.spark.read.format("delta").load(t.path))
    shutil.rmtree(t.path)
    t.attempt("second", lambda: t.spark.sql("SELECT 'x' AS b").write.format("delta").save(t.path))
    t.show("read again", lambda: t.spark.read.format("delta").load(t.path))
