"""The state of a table in plain records: a second, simpler replay than the one that readers use.

Protocol: Action Reconciliation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from puredelta.log.actions import (
    Action,
    AddFile,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
)
from puredelta.log.files import FileKey, canonical_path, file_key


@dataclass
class ReplayedFiles:
    """What the log says up to some version; grows with each commit.

    Attributes:
        protocol: The newest protocol.
        metadata: The newest metadata.
        transactions: The newest entry of each application.
        domains: The newest metadata of each domain that was not removed.
        files: The live files.
        removed: The files that left, as far back as the log was read.
        size: The size of the live files.
        deleted_rows: How many of their rows deletion vectors hide.
        vectors: How many of them have one.
    """

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: dict[str, SetTransaction] = field(default_factory=dict)
    domains: dict[str, DomainMetadata] = field(default_factory=dict)
    files: dict[FileKey, AddFile] = field(default_factory=dict)
    removed: dict[FileKey, RemoveFile] = field(default_factory=dict)
    size: int = 0
    deleted_rows: int = 0
    vectors: int = 0

    def apply(self, actions: Iterable[Action]) -> None:
        """Follow one commit."""
        for action in actions:
            match action:
                case AddFile():
                    self._add(action)
                case RemoveFile():
                    self._remove(action)
                case SetTransaction(app_id=app):
                    self.transactions[app] = action
                case DomainMetadata(domain=domain, removed=True):
                    self.domains.pop(domain, None)
                case DomainMetadata(domain=domain):
                    self.domains[domain] = action
                case Protocol():
                    self.protocol = action
                case Metadata():
                    self.metadata = action
                case _:
                    pass

    def _add(self, add: AddFile) -> None:
        key = file_key(add)
        # A commit may add a live file again with other statistics or tags; it counts once.
        self._forget(key)
        self.removed.pop(key, None)
        self.files[key] = add
        self._count(add, 1)

    def _remove(self, remove: RemoveFile) -> None:
        key = file_key(remove)
        self._forget(key)
        self.removed[key] = remove

    def _forget(self, key: FileKey) -> None:
        if (old := self.files.pop(key, None)) is not None:
            self._count(old, -1)

    def _count(self, add: AddFile, times: int) -> None:
        # A checkpoint may lack the size of a file.
        self.size += times * (add.size or 0)
        if add.deletion_vector is not None:
            self.deleted_rows += times * add.deletion_vector.cardinality
            self.vectors += times


def path_of(key: FileKey) -> str:
    """Return the decoded path in a key."""
    return key if isinstance(key, str) else key[0]


def shown_path(add: AddFile) -> str:
    """Return the path by which a finding names a data file."""
    return canonical_path(add.path)
