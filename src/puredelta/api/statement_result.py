"""What `delete`, `update` and `merge` answer with: their rows, and what they committed."""

from __future__ import annotations

from functools import cached_property

from pyspark.sql import DataFrame

from puredelta.commands.commit_report import CommitReport, read_commit_report
from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.jvm_parts import ClassicDataFrame
from puredelta.engine.exceptions import shown


class StatementResult(ClassicDataFrame):
    """The answer of `delete`, `update` or `merge`: the DataFrame of delta-spark, and the commit.

    Examples:
        >>> done = table.update("id = 7", {"name": "upper(name)"})  # doctest: +SKIP
        >>> done.first().num_affected_rows  # doctest: +SKIP
        1
        >>> print(done.commit)  # doctest: +SKIP
        UPDATE on spark_catalog.default.people: version 3
          rows: 1 updated
          files: 1 added (1.2 kB), 1 removed (1.2 kB)
    """

    def __new__(cls, *_: object) -> StatementResult:  # noqa: PYI034  # PySpark annotates its own so
        """Make the object; that of PySpark 4.0 takes no arguments but its own."""
        return object.__new__(cls)

    def __init__(self, rows: DataFrame, table: TableRef, version: int | None) -> None:
        """Keep the rows and the version.

        Args:
            rows: how many rows the statement changed.
            table: the table.
            version: the version that the statement made; None when nothing had to be changed.
        """
        super().__init__(rows._jdf, rows.sparkSession)
        self._made = None if version is None else (table, version)

    @cached_property
    def commit(self) -> CommitReport | None:
        """What the statement committed, read from the log; None when nothing had to be changed.

        Raises:
            DeltaRuntimeException: DELTA_COMMITTED_AND_NOT_READ: its file in the log is not
                readable any more.
        """
        with shown():
            return None if self._made is None else read_commit_report(*self._made)

    def __repr__(self) -> str:
        return super().__repr__() if self.commit is None else str(self.commit)

    def _repr_html_(self) -> str | None:
        return super()._repr_html_() if self.commit is None else self.commit._repr_html_()
