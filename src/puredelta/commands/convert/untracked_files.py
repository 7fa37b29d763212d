"""Data files in the folder of a Delta table that its log does not name."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from puredelta.conversion.listing import is_entered, is_hidden
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import absolute

_log = logging.getLogger(__name__)

_VECTORS = "deletion_vector_"


def tell_unnamed_files(before: Snapshot, name: str) -> None:
    """Warn of files that may hold rows that someone wrote by an entry that says Parquet.

    They may be left over from a write that failed, too: nobody can tell, so nothing is refused.

    Args:
        before: the table as it is.
        name: its name in the catalog.
    """
    count, first = 0, ""
    for path in _unnamed(before):
        count, first = count + 1, first or path
    if count:
        url = before.store.url
        _log.warning(
            "%s has %d file(s) that no version of the Delta table names, %s for one. Rows that came"
            " by the name %s since the conversion are in such files, and not in the table. To take"
            " those of a file over:\nINSERT INTO %s SELECT * FROM parquet.`%s`",
            *(url, count, first, name, name, absolute(url, first)),
        )


def _unnamed(before: Snapshot) -> Iterator[str]:
    url = before.store.url
    tables = before.files, before.tombstones()
    named = {absolute(url, path) for table in tables for path in table["path"].to_pylist()}
    for info in before.store.walk("", is_entered):
        of_log = info.name.rpartition("/")[2].startswith(_VECTORS)
        if not (of_log or is_hidden(info.name) or absolute(url, info.name) in named):
            yield info.name
