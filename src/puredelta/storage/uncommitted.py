"""Files that a statement has written and no version names yet: removed when it fails.

The statement opens the list, what writes files notes them, and who makes versions takes them off
the list before the version is tried: from then on it may name them.
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
    """Remove what is noted inside and not committed, if it ends with an exception."""
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
    """Take all files off the list, for a version is tried that names them."""
    files = _files.get() or []
    taken = files[:]
    files.clear()
    return taken


def put_back(taken: Sequence[UncommittedFiles]) -> None:
    """Note files again, for the version became another's."""
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
        # What went wrong before is what the caller has to know.
        logger.warning("files left behind in %s: %s", store.url, names, exc_info=True)
