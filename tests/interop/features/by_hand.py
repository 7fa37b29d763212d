"""Logs changed by hand, for what the protocol allows and delta-spark never writes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def z85(data: bytes) -> str:
    """Bytes as the text of an inline deletion vector."""
    data += bytes(-len(data) % 4)
    words = (int.from_bytes(data[n : n + 4], "big") for n in range(0, len(data), 4))
    return "".join(_Z85[word // 85**power % 85] for word in words for power in (4, 3, 2, 1, 0))


def commits(path: Path) -> list[Path]:
    """The commit files, oldest first."""
    return sorted(f for f in (path / "_delta_log").glob("*.json") if f.stem.isdigit())


def rewrite_commit(
    path: Path, change: Callable[[dict[str, Any]], None], version: int | None = None
) -> None:
    """Change the actions of a commit in place, and take away the checksums that knew them."""
    file = commits(path)[-1 if version is None else version]
    actions = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for action in actions:
        change(action)
    file.write_text("".join(json.dumps(action) + "\n" for action in actions), "utf-8")
    drop_checksums(path)


def add_commit(path: Path, *actions: dict[str, Any]) -> None:
    """Add a commit that is made of these actions."""
    last = int(commits(path)[-1].stem)
    info = {"commitInfo": {"timestamp": int(time.time() * 1000), "operation": "Manual Update"}}
    lines = "".join(json.dumps(action) + "\n" for action in (info, *actions))
    (path / "_delta_log" / f"{last + 1:020}.json").write_text(lines, "utf-8")


def drop_checksums(path: Path) -> None:
    """Take away the version checksums."""
    for checksum in (path / "_delta_log").glob("*.crc"):
        checksum.unlink()
    for checksum in (path / "_delta_log").glob(".*.crc"):
        checksum.unlink()


def age(path: Path, days: int) -> None:
    """Make the files of the log older, so that clean-up finds them expired."""
    for file in (path / "_delta_log").iterdir():
        if file.is_file():
            then = file.stat().st_mtime - days * 86400
            os.utime(file, (then, then))


def forget(spark: SparkSession, path: Path) -> None:
    """Have delta-spark look at the log anew."""
    for checksum in path.glob("_delta_log/.*.crc"):
        checksum.unlink()
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
