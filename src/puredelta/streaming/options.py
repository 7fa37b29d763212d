"""The options of a stream over a table, read by name and value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from puredelta.errors import DeltaIllegalArgumentError

PathSearch = Callable[[Sequence[str]], set[str]]
"""Returns those of some paths in which a pattern is found."""

DEFAULT_FILES = 1000
"""How many files a batch has at most, where no option says anything."""

LATEST = "latest"

_WHOLE = re.compile(r"[0-9]{1,18}")
_SIZE = re.compile(r"([0-9]{1,18})\s*([a-z]*)")
_UNITS = {
    unit: 1 << (10 * power)
    for power, units in enumerate(
        (("", "b"), ("k", "kb"), ("m", "mb"), ("g", "gb"), ("t", "tb"), ("p", "pb"))
    )
    for unit in units
}
_MOST_FILES = (1 << 31) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """What the reader of a stream asks for.

    Attributes:
        max_files: how many files a batch has at most; None for no limit by files.
        max_bytes: as many bytes a batch has, and the rest of the file that exceeds them.
        starting_version: the first version whose commit is read; `latest` for the next one.
        starting_timestamp: the time from which on commits are read, as the user writes it.
        exclude: finds the paths of files that are left out.
        ignore_deletes: commits that only remove rows are passed over.
        ignore_changes: commits that change rows give all rows of the files that they write.
        skip_change_commits: commits that remove or change rows are passed over as a whole.
        fail_on_data_loss: versions that are gone from the log stop the stream.
        changes: the stream gives the changes of rows, and not new rows only.
        schema_location: the folder of the log of the columns that the stream has had.
        tracking_id: distinguishes two streams over one table whose logs are in one folder.
        allowed: what unblocks each kind of change of columns, by the option's lower-case name.
    """

    max_files: int | None = DEFAULT_FILES
    max_bytes: int | None = None
    starting_version: int | str | None = None
    starting_timestamp: str | None = None
    exclude: PathSearch | None = None
    ignore_deletes: bool = False
    ignore_changes: bool = False
    skip_change_commits: bool = False
    fail_on_data_loss: bool = True
    changes: bool = False
    schema_location: str | None = None
    tracking_id: str | None = None
    allowed: Mapping[str, str] | None = None

    @property
    def starts_somewhere(self) -> bool:
        """Whether the options say where a new stream starts."""
        return self.starting_version is not None or self.starting_timestamp is not None


ALLOWING = (
    "allowSourceColumnRename",
    "allowSourceColumnDrop",
    "allowSourceColumnTypeChange",
)
"""The options that let a stream go on after a change of columns that is not an addition."""


def stream_options(
    options: Mapping[str, str], compile_pattern: Callable[[str], PathSearch]
) -> StreamOptions:
    """Read the options of a stream; those that are unknown are for others.

    Args:
        options: with lower-case keys.
        compile_pattern: returns the search for a regular expression; a ValueError says that a text
            is none.

    Raises:
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION, DELTA_REGEX_OPT_SYNTAX_ERROR,
            DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET.
    """
    version, timestamp = options.get("startingversion"), options.get("startingtimestamp")
    if version is not None and timestamp is not None:
        raise DeltaIllegalArgumentError(
            "DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET", version=version, timestamp=timestamp
        )
    max_bytes = _max_bytes(options)
    drops_files = _flag(options, "ignoreFileDeletion")
    return StreamOptions(
        max_files=_max_files(options, DEFAULT_FILES if max_bytes is None else None),
        max_bytes=max_bytes,
        starting_version=_version(version),
        starting_timestamp=timestamp,
        exclude=_search(options.get("excluderegex"), compile_pattern),
        ignore_deletes=_flag(options, "ignoreDeletes") or drops_files,
        ignore_changes=_flag(options, "ignoreChanges") or drops_files,
        skip_change_commits=_flag(options, "skipChangeCommits"),
        fail_on_data_loss=_flag(options, "failOnDataLoss", default=True),
        changes=reads_changes(options),
        schema_location=schema_location(options),
        tracking_id=options.get("streamingsourcetrackingid"),
        allowed={
            name.lower(): options[name.lower()] for name in ALLOWING if name.lower() in options
        },
    )


def reads_changes(options: Mapping[str, str]) -> bool:
    """Say whether a stream gives the changes of rows; see `stream_options`."""
    return _flag(options, "readChangeFeed") or _flag(options, "readChangeData")


def schema_location(options: Mapping[str, str]) -> str | None:
    """Return the folder in which the stream keeps its columns; see `stream_options`."""
    return options.get("schematrackinglocation", options.get("schemalocation"))


def _flag(options: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    text = options.get(name.lower())
    if text is None:
        return default
    if text.lower() not in {"true", "false"}:
        raise _illegal(name, text, "must be 'true' or 'false'")
    return text.lower() == "true"


def _version(text: str | None) -> int | str | None:
    if text is None or text == LATEST:
        return text
    if not _WHOLE.fullmatch(text):
        raise _illegal(
            "startingVersion", text, "must be greater than or equal to zero, or 'latest'"
        )
    return int(text)


def _max_files(options: Mapping[str, str], default: int | None) -> int | None:
    text = options.get("maxfilespertrigger")
    if text is None:
        return default
    if not _WHOLE.fullmatch(text) or not 0 < int(text) <= _MOST_FILES:
        raise _illegal("maxFilesPerTrigger", text, "must be a positive integer")
    return int(text)


def _max_bytes(options: Mapping[str, str]) -> int | None:
    text = options.get("maxbytespertrigger")
    if text is None:
        return None
    found = _SIZE.fullmatch(text.strip().lower())
    size = int(found[1]) * _UNITS.get(found[2], 0) if found else 0
    if not 0 < size < 1 << 63:
        raise _illegal("maxBytesPerTrigger", text, "must be a size configuration such as '10g'")
    return size


def _search(text: str | None, compile_pattern: Callable[[str], PathSearch]) -> PathSearch | None:
    if text is None:
        return None
    try:
        return compile_pattern(text)
    except ValueError as error:
        raise DeltaIllegalArgumentError(
            "DELTA_REGEX_OPT_SYNTAX_ERROR", regExpOption=f"excludeRegex = '{text}'", reason=error
        ) from error


def _illegal(name: str, value: str, explain: str) -> DeltaIllegalArgumentError:
    return DeltaIllegalArgumentError(
        "DELTA_ILLEGAL_OPTION", input=value, name=name, explain=explain
    )
