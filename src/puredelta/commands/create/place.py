"""The folder of a new table: whether it is free, but for what a failed or killed try left in it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from puredelta.engine.session.paths import entries
from puredelta.log.names import FIRST_FILES, LOG_FOLDER
from puredelta.maintenance.vacuum.deletion import delete_folders
from puredelta.storage.store import Store

MARK = FIRST_FILES.rpartition("/")[2]

# A failed try deletes its files and the mark; tasks that end late can still write a file.
_failed: set[str] = set()


@contextmanager
def marked_place(session: SparkSession, root: str, store: Store, *, is_new: bool) -> Iterator[None]:
    """Mark a free place until the table is there: the same statement can then run again.

    Args:
        session: the session.
        root: the folder of a table.
        store: its files.
        is_new: no table is there.
    """
    if not is_new:
        yield
        return
    store.put(FIRST_FILES, b"")
    try:
        yield
    # An interrupt, too, leaves files behind.
    except BaseException:
        _failed.add(root)
        is_bare = set(entries(session, root)) <= {LOG_FOLDER}
        # Without files no mark is needed; where another writer was first, there is a table.
        if is_bare or not is_log_without_versions(entries(session, f"{root}/{LOG_FOLDER}")):
            store.delete([FIRST_FILES])
            # A folder that is not empty stays.
            delete_folders(store, [LOG_FOLDER])
        raise
    _failed.discard(root)
    store.delete([FIRST_FILES])


def is_free(session: SparkSession, root: str) -> bool:
    """Say whether a table can be made in a folder without a table: no files of others are there.

    Args:
        session: the session.
        root: the folder.
    """
    there = entries(session, root)
    in_log = entries(session, f"{root}/{LOG_FOLDER}") if LOG_FOLDER in there else []
    return is_free_of_others(there, in_log, has_failed=root in _failed)


def is_free_of_others(
    names: Iterable[str], in_log: Iterable[str], *, has_failed: bool = False
) -> bool:
    """Say whether a folder has only what a failed or killed try can have left there.

    Args:
        names: what is in the folder.
        in_log: what is in its log.
        has_failed: this process began a table there, and failed.
    """
    others, log = set(names), set(in_log)
    if is_log_without_versions(log):
        others.discard(LOG_FOLDER)
    return not others or ((has_failed or MARK in log) and all(map(_is_data, others)))


def is_log_without_versions(names: Iterable[str]) -> bool:
    """Say whether a log has only what a process that was killed in its first commit leaves there.

    >>> is_log_without_versions([".00000000000000000000.json.1f.tmp"])
    True
    """
    return all(name.startswith(".") for name in names)


def _is_data(name: str) -> bool:
    return name.startswith(("part-", ".part-")) or "=" in name
