"""Files that a statement has written and no version names yet: removed when it fails.

The statement opens the list, code that writes files adds them, and the commit takes them off the
list before it tries a version: from then on a version may name them.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from puredelta.errors import DeltaError
from puredelta.storage.store import Store

logger = logging.getLogger(__name__)


class UncommittedFiles(NamedTuple):
    """Files of a store."""

    store: Store
    names: tuple[str, ...]


_files: ContextVar[list[UncommittedFiles] | None] = ContextVar("uncommitted_files", default=None)


@contextmanager
def removed_on_failure() -> Iterator[None]:
    """Remove files that are noted inside and not committed, if the block ends with an exception."""
    # A nested block adds to the list of the outer one, which decides when all is done.
    if _files.get() is not None:
        yield
        return
    files: list[UncommittedFiles] = []
    token = _files.set(files)
    try:
        yield
        files.clear()
    finally:
        _files.reset(token)
        _remove(files)


def note(store: Store, names: Sequence[str]) -> None:
    """Note files that are written now, or are about to be.

    Args:
        store: a table's folder.
        names: their names in it.
    """
    files = _files.get()
    if files is not None and names:
        files.append(UncommittedFiles(store, tuple(names)))


def take() -> Sequence[UncommittedFiles]:
    """Take all files off the list, because a version that names them is tried."""
    files = _files.get() or []
    taken = files[:]
    files.clear()
    return taken


def put_back(taken: Sequence[UncommittedFiles]) -> None:
    """Note files again, because another writer committed the version."""
    files = _files.get()
    if files is not None:
        files.extend(taken)


def _remove(files: Sequence[UncommittedFiles]) -> None:
    for store, names in files:
        with _logged(store, names):
            store.delete(names)


@contextmanager
def _logged(store: Store, names: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except (DeltaError, OSError):
        # The caller has to see the first error, which made the statement fail.
        logger.warning("files left behind in %s: %s", store.url, names, exc_info=True)
