"""Places where a CREATE TABLE AS SELECT of this process failed: what it left is not in the way.

A task that ends just after its job has failed leaves a file that nobody knows of. The folder was
empty before, so its files are data files of a table that never was: the next try may take the
place, and VACUUM will take the files.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_failed: set[str] = set()


@contextmanager
def remembered(root: str, *, is_new: bool) -> Iterator[None]:
    """Remember a place if what is done inside fails.

    Args:
        root: the folder of a table.
        is_new: nothing was there before.
    """
    try:
        yield
    except BaseException:
        if is_new:
            _failed.add(root)
        raise
    _failed.discard(root)


def is_own(root: str, names: Iterable[str]) -> bool:
    """Say whether a folder has only what a failed try of this process can have left there."""
    return root in _failed and all(map(_is_data, names))


def _is_data(name: str) -> bool:
    return name.startswith(("part-", ".part-")) or "=" in name
