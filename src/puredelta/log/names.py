"""Between a file name in the log folder and what it holds.

Protocol: Delta Table Specification, File Types.
"""

import re
from dataclasses import dataclass
from enum import Enum

LOG_FOLDER = "_delta_log"
LAST_CHECKPOINT = f"{LOG_FOLDER}/_last_checkpoint"


class LogFileKind(Enum):
    """What a file of the log is."""

    COMMIT = "commit"
    CHECKPOINT = "checkpoint"
    CHECKPOINT_PART = "checkpoint part"
    V2_CHECKPOINT = "v2 checkpoint"
    COMPACTION = "compaction"
    CHECKSUM = "checksum"


@dataclass(frozen=True, slots=True)
class LogFile:
    """What the name of a file says.

    Attributes:
        kind: What the file is.
        version: The version it belongs to; the first one of a compaction.
        part: Which part of a checkpoint in parts, from 1.
        parts: How many parts there are.
        end_version: The last version of a compaction.
    """

    kind: LogFileKind
    version: int
    part: int = 1
    parts: int = 1
    end_version: int | None = None


_NAME = re.compile(
    r"""(?P<version>\d+)\.(?:
          (?P<commit>json)
        | (?P<checksum>crc)
        | checkpoint\.(?P<part>\d+)\.(?P<parts>\d+)\.parquet
        | (?P<checkpoint>checkpoint\.parquet)
        | (?P<v2>checkpoint\.[^.]+\.(?:json|parquet))
        | (?P<end>\d+)\.compacted\.json
    )""",
    re.VERBOSE | re.ASCII,
)


def commit_name(version: int) -> str:
    """Name the commit of a version, below the root of the table.

    >>> commit_name(7)
    '_delta_log/00000000000000000007.json'
    """
    return f"{version_prefix(version)}.json"


def checkpoint_name(version: int) -> str:
    """Name the classic checkpoint of a version."""
    return f"{version_prefix(version)}.checkpoint.parquet"


def checkpoint_part_name(version: int, part: int, parts: int) -> str:
    """Name one part of a checkpoint that lies in several."""
    return f"{version_prefix(version)}.checkpoint.{part:010}.{parts:010}.parquet"


def checksum_name(version: int) -> str:
    """Name the checksum of a version."""
    return f"{version_prefix(version)}.crc"


def version_prefix(version: int) -> str:
    """Return what the names of all files of a version start with, and those of none before it."""
    return f"{LOG_FOLDER}/{version:020}"


def parse(name: str) -> LogFile | None:
    """Say what a file is, by its name with or without folders, or None when it is none of ours."""
    found = _NAME.fullmatch(name.rpartition("/")[2])
    if found is None:
        return None
    version = int(found["version"])
    if found["commit"]:
        return LogFile(LogFileKind.COMMIT, version)
    if found["checksum"]:
        return LogFile(LogFileKind.CHECKSUM, version)
    if found["checkpoint"]:
        return LogFile(LogFileKind.CHECKPOINT, version)
    if found["v2"]:
        return LogFile(LogFileKind.V2_CHECKPOINT, version)
    if found["end"]:
        return LogFile(LogFileKind.COMPACTION, version, end_version=int(found["end"]))
    return LogFile(LogFileKind.CHECKPOINT_PART, version, int(found["part"]), int(found["parts"]))
