"""A data file that is to become part of a table, before it is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What a listing says of a data file.

    Attributes:
        path: Below the folder that is converted, as it is stored (nothing is decoded); a URL when
            the file lies elsewhere.
        size: In bytes.
        modified_ms: Time of the last change, in milliseconds since 1970.
        partition_values: As the log has them, where the source knows them better than the path
            does; None to read them off the path.
    """

    path: str
    size: int
    modified_ms: int
    partition_values: Mapping[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class BadFile:
    """A file that cannot become part of the table.

    Attributes:
        path: As in `SourceFile`.
        condition: The error condition, such as DELTA_FAILED_MERGE_SCHEMA_FILE.
        reason: What is wrong with it, for people.
    """

    path: str
    condition: str
    reason: str
