"""Commits as a stream reads them: each once, in order, none passed over unnoticed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import (
    Action,
    AddCdcFile,
    AddFile,
    CommitInfo,
    Metadata,
    Protocol,
    RemoveFile,
    decode_commit,
)
from puredelta.log.files import qualified
from puredelta.log.listing import list_log
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.storage.store import ObjectInfo, ObjectNotFound

# Each commit is needed twice, when a batch is planned and when it is built. More bytes of commits
# than these are read again.
_BYTES_KEPT = 64 << 20


@dataclass(frozen=True)
class Commit:
    """What one commit did.

    Attributes:
        version: that it made.
        actions: its lines.
    """

    version: int
    actions: Sequence[Action]

    @cached_property
    def adds(self) -> list[AddFile]:
        """The files whose rows are new, in the order of the commit."""
        return [a for a in self.actions if isinstance(a, AddFile) and a.data_change]

    @cached_property
    def removes(self) -> list[RemoveFile]:
        """The files whose rows are gone, in the order of the commit."""
        return [a for a in self.actions if isinstance(a, RemoveFile) and a.data_change]

    @cached_property
    def change_files(self) -> list[AddCdcFile]:
        """The change data files."""
        return [a for a in self.actions if isinstance(a, AddCdcFile)]

    @property
    def metadata(self) -> Metadata | None:
        """The metadata that the commit sets."""
        return next((a for a in self.actions if isinstance(a, Metadata)), None)

    @property
    def protocol(self) -> Protocol | None:
        """The protocol that the commit sets."""
        return next((a for a in self.actions if isinstance(a, Protocol)), None)

    @property
    def info(self) -> CommitInfo | None:
        """What the writer said of the commit."""
        return next((a for a in self.actions if isinstance(a, CommitInfo)), None)


class CommitReader:
    """Reads the commits of a log; those that were read last are kept.

    Args:
        log: of the table.
        fail_on_data_loss: versions that are gone are an error.
    """

    def __init__(self, log: TableLog, *, fail_on_data_loss: bool) -> None:
        self._log = log
        self._fails = fail_on_data_loss
        self._kept: OrderedDict[int, tuple[ObjectInfo, Commit]] = OrderedDict()
        self._bytes_kept = 0

    def versions(self, start: int) -> Iterator[tuple[int, ObjectInfo]]:
        """Yield the versions from one on, with their files.

        Raises:
            DeltaIllegalStateError: DELTA_MISSING_FILES_UNEXPECTED_VERSION for a version that is
                gone, unless the stream is to go on.
        """
        listing = list_log(self._log.store, start)
        expected = start
        for version, info in sorted(listing.commits.items()):
            if version > expected and self._fails:
                raise _missing(expected, version)
            yield version, info
            expected = version + 1

    def read(self, version: int, info: ObjectInfo) -> Commit:
        """Read a commit.

        Args:
            version: that it made.
            info: of its file; of a table that was made again it is another one.
        """
        known = self._kept.get(version)
        if known is not None and known[0] == info:
            self._kept.move_to_end(version)
            return known[1]
        name, store = commit_name(version), self._log.store
        try:
            data = store.read(name)
        except ObjectNotFound as error:
            raise _missing(version, version + 1) from error
        commit = Commit(version, qualified(decode_commit(data, name), store.url))
        if known is not None:
            del self._kept[version]
            self._bytes_kept -= known[0].size
        self._kept[version] = info, commit
        self._bytes_kept += info.size
        # The newest stays, however large it is.
        while len(self._kept) > 1 and self._bytes_kept > _BYTES_KEPT:
            _, (oldest, _) = self._kept.popitem(last=False)
            self._bytes_kept -= oldest.size
        return commit


def _missing(wanted: int, found: int) -> DeltaIllegalStateError:
    return DeltaIllegalStateError(
        "DELTA_MISSING_FILES_UNEXPECTED_VERSION",
        startVersion=wanted,
        earliestVersion=found,
        option="failOnDataLoss",
    )
