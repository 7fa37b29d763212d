"""The folder of a new table: whether it is free, but for what a failed or killed try left in it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from puredelta.engine.session.paths import entries
from puredelta.log.names import LOG_FOLDER

# Files of a failed CREATE TABLE AS SELECT stay, as no version names them; without this set the same
# statement would find its location occupied when it runs again.
_failed: set[str] = set()


@contextmanager
def remembering_failure(root: str, *, is_new: bool) -> Iterator[None]:
    """Remember a place if what is done inside fails.

    Args:
        root: the folder of a table.
        is_new: nothing was there before.
    """
    try:
        yield
    # An interrupt, too, leaves files behind.
    except BaseException:
        if is_new:
            _failed.add(root)
        raise
    _failed.discard(root)


def is_free(session: SparkSession, root: str) -> bool:
    """Say whether a table can be made in a folder without a table: no files of others are there.

    Args:
        session: the session.
        root: the folder.
    """
    there = entries(session, root)
    if LOG_FOLDER in there and is_log_without_versions(entries(session, f"{root}/{LOG_FOLDER}")):
        there.remove(LOG_FOLDER)
    return not there or is_own(root, there)


def is_log_without_versions(names: Iterable[str]) -> bool:
    """Say whether a log has only what a process that was killed in its first commit leaves there.

    >>> is_log_without_versions([".00000000000000000000.json.1f.tmp"])
    True
    """
    return all(name.startswith(".") for name in names)


def is_own(root: str, names: Iterable[str]) -> bool:
    """Say whether a folder has only what a failed try of this process can have left there."""
    return root in _failed and all(map(_is_data, names))


def _is_data(name: str) -> bool:
    return name.startswith(("part-", ".part-")) or "=" in name
