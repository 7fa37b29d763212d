"""Statistics of source files, made while it is not yet known which columns the table has.

Nearly always all files have the columns of the first one, so statistics are made at once, by the
columns known so far; only files that were looked at before the last column came are read again.
"""

from __future__ import annotations

from array import array
from typing import Any

from puredelta.schema.datatypes import StructType
from puredelta.table.statistics.file_stats import FooterStatistics
from puredelta.table.statistics.indexed_columns import Indexing, Leaf, indexed_leaves


class GuessedStatistics:
    """Makes statistics by the columns that are known so far.

    Args:
        indexing: Which columns get statistics.

    Attributes:
        stale: How many files, the first ones, have statistics of other columns than the last.
        silent: The places, among all files, of those whose footers do not tell all bounds.
    """

    def __init__(self, indexing: Indexing) -> None:
        self._indexing = indexing
        self._leaves: tuple[Leaf, ...] | None = None
        self._schema: StructType | None = None
        self._statistics = FooterStatistics(StructType(()))
        self._done = 0
        self.stale = 0
        self.silent = array("Q")

    def of(self, footer: Any, schema: StructType) -> str:
        """Make the statistics of a file.

        Args:
            footer: A `pyarrow.parquet.FileMetaData`.
            schema: The columns known so far that lie in the files.

        Returns:
            The JSON text for `AddFile.stats`.
        """
        self._use(schema)
        text, silent = self._statistics.with_silent(footer)
        if silent:
            self.silent.append(self._done)
        self._done += 1
        return text

    def settle(self, schema: StructType) -> None:
        """Take the columns that the table has at last, by which `stale` is right."""
        self._use(schema)

    def _use(self, schema: StructType) -> None:
        if schema is self._schema:
            return
        leaves = indexed_leaves(schema, self._indexing)
        if leaves != self._leaves:
            self.stale = self._done
            self._statistics = FooterStatistics(schema, self._indexing)
        self._schema, self._leaves = schema, leaves
