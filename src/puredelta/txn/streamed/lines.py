"""The lines of a commit that is never in memory as a whole: checked, numbered, counted, encoded.

Files pass by some at a time, and what was known of each is forgotten then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from puredelta._util.progress import progress
from puredelta.errors import DeltaRuntimeError
from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    RemoveFile,
    encode_commit,
)
from puredelta.log.files import canonical_path, file_key
from puredelta.log.path_set import PathSet
from puredelta.log.summaries.checksum import Figures, figures_after
from puredelta.settings import LargeCommit
from puredelta.storage.uncommitted import UncommittedFiles, take
from puredelta.table.protocol.row_tracking import gives_ids, high_water_mark, with_ids
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.rebase import Base
from puredelta.txn.validate import FILE_CHECKS

# Other actions follow the files, as in the commits of the reference.
_BEFORE_FILES = (CommitInfo, Metadata)


class StreamedLines:
    """The lines of a commit in pieces; has the totals of its files once they have passed.

    Args:
        draft: The commit without its files.
        small: Its lines.
        large: How much is in memory at a time.
        base: The version that it follows.
        figures: What is counted of the files of that version; None where that is not known.

    Attributes:
        figures: What is counted of all files after the commit; None where that is not known.
        num_files: How many files it adds.
        size: How many bytes they have in all.
        is_whole: Have all files passed?
        uncommitted: The files that were written for it, once a version may name them.
    """

    def __init__(
        self,
        draft: PendingCommit,
        small: Sequence[Action],
        large: LargeCommit,
        base: Base,
        figures: Figures | None,
    ) -> None:
        self._draft = draft
        self._large = large
        self._base = base
        self._head = [action for action in small if isinstance(action, _BEFORE_FILES)]
        self._tail = [action for action in small if not isinstance(action, _BEFORE_FILES)]
        self._added, self._removed, self._keys = (PathSet(large.paths) for _ in range(3))
        self._gives_ids = gives_ids(draft.features, draft.metadata.configuration)
        self._mark: DomainMetadata | None = None
        self.figures = figures
        self.num_files = 0
        self.size = 0
        self.is_whole = False
        self.uncommitted: Sequence[UncommittedFiles] = ()

    def of(self, files: Iterable[AddFile | RemoveFile]) -> Iterator[bytes]:
        """Give the lines of a commit that adds and removes some files."""
        yield encode_commit(self._head)
        rest = iter(files)
        with progress("writing the commit") as step:
            while some := list(islice(rest, self._large.files)):
                self._check(some)
                numbered = self._with_ids(some)
                self._count(numbered)
                yield encode_commit(numbered)
                step(len(some))
        # The newest paths are not compared yet. The store makes the version visible after the last
        # piece, so an error here leaves none.
        for what, seen in self._seen:
            self._refuse(what, seen.repeated_at_last())
        self.is_whole = True
        # From here on a version may name the files that were written for it: an error must not
        # delete them until it is known to be another writer's.
        self.uncommitted = take()
        yield encode_commit([*self._tail, *self._marks])

    @property
    def small(self) -> list[Action]:
        """The lines that are not about files."""
        return [*self._head, *self._tail, *self._marks]

    @property
    def _marks(self) -> list[Action]:
        return [] if self._mark is None else [self._mark]

    @property
    def _seen(self) -> tuple[tuple[str, PathSet], ...]:
        return (("add", self._added), ("remove", self._removed), ("add and remove", self._keys))

    def _check(self, some: list[AddFile | RemoveFile]) -> None:
        # The checks of the whole draft ran before the first piece; only those of files are left.
        part = replace(self._draft, actions=tuple(some))
        for rule in FILE_CHECKS:
            rule(part)
        adds = (canonical_path(add.path) for add in part.adds)
        removes = (canonical_path(remove.path) for remove in part.removes)
        self._refuse("add", self._added.repeated(adds))
        self._refuse("remove", self._removed.repeated(removes))
        # A first version removes nothing, so its paths suffice.
        if self._draft.base_metadata is not None:
            keys = (
                "\n".join(key) if isinstance(key, tuple) else key for key in map(file_key, some)
            )
            self._refuse("add and remove", self._keys.repeated(keys))

    @staticmethod
    def _refuse(what: str, path: str | None) -> None:
        if path is not None:
            found = path.partition("\n")[0]
            raise DeltaRuntimeError(
                "DELTA_DUPLICATE_ACTIONS_FOUND", actionType=what, path=found, conflictingPath=found
            )

    def _with_ids(self, some: list[AddFile | RemoveFile]) -> list[AddFile | RemoveFile]:
        if not self._gives_ids:
            return some
        # Each piece goes on from the high-water mark of the one before; only the last is written.
        mark = self._base.row_id_mark if self._mark is None else high_water_mark([self._mark])
        given = with_ids(some, mark, self._base.version + 1)
        self._mark = next(
            (action for action in given if isinstance(action, DomainMetadata)), self._mark
        )
        return [action for action in given if isinstance(action, (AddFile, RemoveFile))]

    def _count(self, some: list[AddFile | RemoveFile]) -> None:
        adds = [file for file in some if isinstance(file, AddFile)]
        self.num_files += len(adds)
        self.size += sum(add.size for add in adds)
        if self.figures is not None:
            self.figures = figures_after(self.figures, some)
