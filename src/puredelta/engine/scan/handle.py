"""The scan handle: what a plan of Spark knows of the files that it reads, as one typed value.

Spark's plans hold it as JSON. The adapters read a few of its fields, compare it, and send it back
with each question; `tests/meta` checks that each field that they read exists here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from puredelta.log.actions import Metadata

ChangePart = Literal["recorded", "derived"]
"""Rows that change files hold, or rows of data files that came or went."""


class _Value(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    rename="camel",
):
    """What all parts of a handle have in common: a misspelt key is an error."""


class ChangeFeed(_Value, frozen=True, kw_only=True):
    """A range of versions whose changes are read.

    Attributes:
        start: the first version.
        end: the last version; None for the newest when a query starts.
    """

    start: int
    end: int | None = None


class FeedPart(ChangeFeed, frozen=True, kw_only=True):
    """One of the two scans that read a range of changes.

    Attributes:
        part: which of them.
    """

    part: ChangePart


class ScanHandle(_Value, frozen=True, kw_only=True):
    """What a plan holds of a table, and by what its files are found again.

    A query that starts pins the handle: a copy names the version and what is known of its files.

    Attributes:
        root: the table's folder, as Hadoop names it.
        name: the table's full name in the catalog; None for a path.
        version: the version to read; None for the newest when a query starts.
        fingerprint: `schema_fingerprint` of the version that the query was analysed with.
        options: the number of the options of the table's file system; None for no options.
        staged: the number of a table that a statement is making; None for an existing one.
        number: of this scan, which Spark takes for no other; None where equal scans are one.
        only_files: the number of some files that a statement chose; None for all.
        only_partitions: values of the partition columns that a path names; None for all.
        planned: the number of a version that no log has yet; None for one of the log.
        row_ids: fields of `_metadata` with the ids of rows, as JSON of Spark; None without ids.
        change_feed: changes that are asked for in place of rows; a plan of `changes` replaces it.
        changes: the part of a table's changes that is read; None for the table's rows.
        limit: how many rows are wanted at most; None for all.
        pinned: a query that started reads the version.
        mapped: our own format reads the files; None until the handle is pinned.
        vectors: some files have deletion vectors; known once the handle is pinned.
        derives: filters on other columns may select partitions; likewise.
    """

    root: str
    name: str | None = None
    version: int | None = None
    fingerprint: str = ""
    options: int | None = None
    staged: int | None = None
    number: int | None = None
    only_files: int | None = None
    only_partitions: Mapping[str, str | None] | None = None
    planned: int | None = None
    row_ids: str | None = None
    change_feed: ChangeFeed | None = None
    changes: FeedPart | None = None
    limit: int | None = None
    pinned: bool = False
    # The adapters ask whether it is known, so that False must not be the default and be left out.
    mapped: bool | None = None
    vectors: bool = False
    derives: bool = False

    @property
    def label(self) -> str:
        """What messages call the table."""
        return self.name or f"delta.`{self.root}`"

    def to_json(self) -> str:
        """Return the handle as the adapters carry it."""
        return to_json(self)

    @staticmethod
    def from_json(text: str) -> ScanHandle:
        """Read a handle that came back from the adapters.

        Raises:
            msgspec.ValidationError: for a key that no field has, and a value of another type.
        """
        return _HANDLES.decode(text)


class ScanQuestion(_Value, frozen=True, kw_only=True):
    """What `puredelta.TableFiles` asks of a scan.

    Attributes:
        handle: of the scan.
        skips: "false" when the session passes over no files.
        filters: the condition that rows must fulfil, as JSON of Spark; None where it has none.
        keep: positions of the partitions that Spark's filters select, once they are known.
    """

    handle: ScanHandle
    skips: str
    filters: str | None = None
    keep: list[int] = []  # msgspec copies it

    @staticmethod
    def from_json(text: str) -> ScanQuestion:
        """Read a question."""
        return _QUESTIONS.decode(text)


_HANDLES = msgspec.json.Decoder(ScanHandle)
_QUESTIONS = msgspec.json.Decoder(ScanQuestion)
_ENCODER = msgspec.json.Encoder()


def to_json(value: Any) -> str:
    """Return JSON of a value in which handles may be, for the adapters."""
    return _ENCODER.encode(value).decode()


def schema_fingerprint(metadata: Metadata) -> str:
    """Return a short string that changes when the schema or the partitioning does."""
    text = f"{metadata.schema_string}\0{metadata.partition_columns}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
