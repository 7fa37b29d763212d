"""A commit that came first, and how it is described to writers that lost the race."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property

import msgspec

from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
)
from puredelta.table.protocol.row_tracking import high_water_mark
from puredelta.txn.commit_info import BACKFILLS, IDENTITY_ONLY_TAG

_SHOWN_FILES = 3


@dataclass(frozen=True)
class WinningCommit:
    """A commit that came first."""

    version: int
    actions: tuple[Action, ...]

    @cached_property
    def info(self) -> CommitInfo:
        """What it says about itself; empty when it says nothing."""
        return next(
            (action for action in self.actions if isinstance(action, CommitInfo)), CommitInfo()
        )

    @cached_property
    def protocol(self) -> Protocol | None:
        """The protocol it sets."""
        return next((action for action in self.actions if isinstance(action, Protocol)), None)

    @cached_property
    def metadata(self) -> Metadata | None:
        """The metadata it sets."""
        return next((action for action in self.actions if isinstance(action, Metadata)), None)

    @cached_property
    def adds(self) -> list[AddFile]:
        """The files it adds."""
        return [action for action in self.actions if isinstance(action, AddFile)]

    @cached_property
    def removes(self) -> list[RemoveFile]:
        """The files it removes."""
        return [action for action in self.actions if isinstance(action, RemoveFile)]

    @cached_property
    def domains(self) -> list[DomainMetadata]:
        """The metadata domains it sets or ends."""
        return [action for action in self.actions if isinstance(action, DomainMetadata)]

    @cached_property
    def row_id_mark(self) -> int:
        """The highest row id in it."""
        return high_water_mark(self.domains)

    @property
    def marks_identities_only(self) -> bool:
        """Does its metadata differ only by what identity columns have given out?"""
        return (self.info.tags or {}).get(IDENTITY_ONLY_TAG) == "true"

    @property
    def is_blind_append(self) -> bool:
        """Does it say, and show, that it only adds rows without having read any?"""
        # The flag is another engine's word for what it read; a remove contradicts it.
        return bool(self.info.is_blind_append) and not self.removes

    @cached_property
    def is_backfill(self) -> bool:
        """Does it only give or take the row ids of files that are there?"""
        # The name alone does not suffice: conflicts are overlooked for a backfill, so its actions
        # must show that no row changed.
        named = self.info.operation in BACKFILLS
        return named and not self.removes and not any(add.data_change for add in self.adds)

    @property
    def operation(self) -> str:
        """Name of what it did."""
        return self.info.operation or "unknown operation"

    @property
    def time(self) -> str:
        """When it was made, by its own clock."""
        time = self.info.in_commit_timestamp or self.info.timestamp
        if time is None:
            return "unknown time"
        try:
            moment = datetime.fromtimestamp(time / 1000, tz=timezone.utc)
        # The number is another engine's and may be out of range; the conflict is reported anyway.
        except (OverflowError, ValueError, OSError):
            return f"{time} ms since 1970"
        return moment.strftime("%Y-%m-%d %H:%M:%S UTC")

    def title(self) -> str:
        """Return briefly which commit it is: `version 7, DELETE, 2024-01-02 03:04:05 UTC`."""
        return f"version {self.version}, {self.operation}, {self.time}"

    def summary(self) -> str:
        """Everything it says about itself, as JSON with its version in front."""
        info = msgspec.json.decode(msgspec.json.encode(self.info))
        return msgspec.json.encode({"version": self.version, **info}).decode()


def shown_files(paths: list[str]) -> str:
    """Name the first few of some files, and how many more there are."""
    shown = ", ".join(paths[:_SHOWN_FILES])
    more = len(paths) - _SHOWN_FILES
    return f"{shown} and {more} more" if more > 0 else shown
