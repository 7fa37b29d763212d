"""The log of a table that a test names by its path, or has open with or without Spark."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from puredelta.log.reader import TableReader
from puredelta.log.table_log import TableLog, open_log
from puredelta.storage.location import path_text

if TYPE_CHECKING:
    from puredelta.api.delta_table import DeltaTable


def log_of(table: DeltaTable | TableReader | str | os.PathLike[str]) -> TableLog:
    """Return the log that the statements of this process use for a table.

    Args:
        table: the table, or its path; a name of the catalog is no path.

    Raises:
        TypeError: it is something else, or a table of Spark Connect, whose log another process
            has open.
    """
    if isinstance(table, (str, os.PathLike)):
        return open_log(path_text(table))
    if isinstance(table, TableReader):
        return table.log
    given: Any = table
    reference: Any = getattr(given, "_table", None)
    if not hasattr(reference, "log"):
        raise TypeError(
            "A DeltaTable, a table of puredelta.open_table, or the path of a table is needed, not "
            f"{type(given).__name__}"
        )
    log: TableLog = reference.log()
    return log
