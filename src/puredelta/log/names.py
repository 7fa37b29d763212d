"""Between a file name in the log folder and what it holds.

Protocol: Delta Table Specification, File Types.
"""

import re
from dataclasses import dataclass
from enum import Enum

LOG_FOLDER = "_delta_log"
LAST_CHECKPOINT = f"{LOG_FOLDER}/_last_checkpoint"
SIDECAR_FOLDER = f"{LOG_FOLDER}/_sidecars"
STAGED_FOLDER = f"{LOG_FOLDER}/_staged_commits"

# A file in a log without versions: the place was free when CREATE TABLE AS SELECT began to write
# data files, so the data files there are those of a try that failed or was killed, and no version
# names them. Readers pass over hidden names in a log.
FIRST_FILES = f"{LOG_FOLDER}/.first-files"

MAX_VERSION = 2**63 - 1
"""Versions are 64-bit integers in the log; a file name with a larger one is none of a table's."""


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


# As in delta-spark, a version is any number of digits, and names of other forms are ignored.
_NAME = re.compile(
    r"""(?P<version>\d+)\.(?:
          (?P<commit>json)
        | (?P<checksum>crc)
        | checkpoint\.(?P<part>\d+)\.(?P<parts>\d+)\.parquet
        | (?P<checkpoint>checkpoint\.parquet)
        | (?P<v2>checkpoint\.[^.]+\.(?:json|parquet))
        | (?P<end>\d+)\.compacted\.json
    )""",
    # In Unicode, digits of other scripts would count as versions, too.
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
    """Name one part of a multi-part checkpoint."""
    return f"{version_prefix(version)}.checkpoint.{part:010}.{parts:010}.parquet"


def v2_checkpoint_name(version: int, unique: str, suffix: str) -> str:
    """Name the top-level file of a V2 checkpoint; `suffix` is `json` or `parquet`."""
    return f"{version_prefix(version)}.checkpoint.{unique}.{suffix}"


def sidecar_name(version: int, part: int, parts: int, unique: str) -> str:
    """Name a file of file actions that belongs to a V2 checkpoint."""
    return f"{SIDECAR_FOLDER}/{version:020}.checkpoint.{part:010}.{parts:010}.{unique}.parquet"


def compaction_name(start: int, end: int) -> str:
    """Name the file that stands in for the commits of several versions."""
    return f"{version_prefix(start)}.{end:020}.compacted.json"


def checksum_name(version: int) -> str:
    """Name the checksum of a version."""
    return f"{version_prefix(version)}.crc"


def version_prefix(version: int) -> str:
    """Return what the names of all files of a version start with, and those of none before it."""
    # Padded, names sort as versions do: a store lists them from a version on.
    return f"{LOG_FOLDER}/{version:020}"


def parse(name: str) -> LogFile | None:
    """Say what a file is, by its name with or without folders, or None when it is none of ours."""
    found = _NAME.fullmatch(name.rpartition("/")[2])
    if found is None or (version := int(found["version"])) > MAX_VERSION:
        return None
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
