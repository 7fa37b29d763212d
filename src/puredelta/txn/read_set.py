"""What a transaction has read: files, partitions, application ids that others must not move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from puredelta.log.actions import AddFile

PartitionValues = Mapping[str, "str | None"]
Matches = Callable[[PartitionValues], bool]
MayHold = Callable[[Sequence[AddFile]], Sequence[AddFile]]
"""Chooses those of some files that can hold rows for which a condition is true."""


@dataclass(frozen=True, slots=True)
class PartitionPredicate:
    """A condition over partition values under which files were read.

    Attributes:
        matches: Does the condition hold for these values? True when in doubt.
        text: The condition, for messages.
    """

    matches: Matches
    text: str


@dataclass(frozen=True, slots=True)
class ReadSet:
    """What was read.

    Attributes:
        whole_table: Everything, so any file that comes or goes matters.
        files: Files that were read, by decoded path.
        predicates: Conditions under which files were looked for.
        app_ids: Applications whose last version was looked up.
        rows: Returns where rows can be that were looked for, when each was judged by itself: what
            happened to others of the files read does not matter then. None when they all count.
    """

    whole_table: bool = False
    files: frozenset[str] = frozenset()
    predicates: tuple[PartitionPredicate, ...] = ()
    app_ids: frozenset[str] = frozenset()
    rows: MayHold | None = None

    @property
    def depends_on_files(self) -> bool:
        """Return whether the outcome depends on any file of the table."""
        return self.whole_table or bool(self.files) or bool(self.predicates)

    def with_whole_table(self) -> ReadSet:
        """Add everything."""
        return replace(self, whole_table=True)

    def with_files(self, paths: Iterable[str]) -> ReadSet:
        """Add files by decoded path."""
        return replace(self, files=self.files | frozenset(paths))

    def with_predicate(self, matches: Matches, text: str) -> ReadSet:
        """Add a condition."""
        return replace(self, predicates=(*self.predicates, PartitionPredicate(matches, text)))

    def with_rows(self, may_hold: MayHold) -> ReadSet:
        """Say that of the files read only certain rows matter."""
        return replace(self, rows=may_hold)

    def with_app(self, app_id: str) -> ReadSet:
        """Add an application."""
        return replace(self, app_ids=self.app_ids | {app_id})
