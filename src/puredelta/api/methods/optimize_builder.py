"""The OPTIMIZE that `DeltaTable.optimize` starts; signatures as in delta-spark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from puredelta.api.dry_run_types import dry_run_returns
from puredelta.commands.optimize.metrics import RESULT
from puredelta.commands.optimize.optimize import Optimize
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import context_of
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.maintenance.rewrite_preview import OptimizePreview

__all__ = ["DeltaOptimizeBuilder"]


class DeltaOptimizeBuilder:
    """An OPTIMIZE; each method returns another builder or runs it, and leaves this one as it is.

    Examples:
        >>> table.optimize().where("day = '2024-01-01'").executeCompaction()  # doctest: +SKIP
        >>> print(table.optimize().explain())  # doctest: +SKIP
    """

    def __init__(self, spark: SparkSession, command: Optimize) -> None:
        """Use `DeltaTable.optimize`."""
        self._spark = spark
        self._command = command

    def where(self, partitionFilter: str) -> DeltaOptimizeBuilder:
        """Rewrite files of some partitions only; called twice, both conditions must hold.

        Args:
            partitionFilter: a condition in SQL on partition columns.

        Raises:
            TypeError: it is no str.
        """
        if not isinstance(partitionFilter, str):
            raise TypeError(f"partitionFilter must be a str, not {partitionFilter!r}")
        conditions = (*self._command.conditions, partitionFilter)
        return DeltaOptimizeBuilder(self._spark, replace(self._command, conditions=conditions))

    @dry_run_returns(OptimizePreview)
    def executeCompaction(self, *, dryRun: bool = False) -> DataFrame | OptimizePreview:
        """Put small files together.

        Args:
            dryRun: write nothing, and return what would be done.

        Returns:
            What was done, in one row.

        Raises:
            DeltaAnalysisException: a condition cannot be read, or names other than partition
                columns.
            DeltaConcurrentModificationException: another writer took one of the files away.
        """
        return self._run(self._command, dry_run=dryRun)

    @dry_run_returns(OptimizePreview)
    def executeZOrderBy(
        self, *cols: str | Iterable[str], dryRun: bool = False
    ) -> DataFrame | OptimizePreview:
        """Put the rows of each partition in an order in which equal values of columns lie close.

        Args:
            cols: the names of the columns, or one list of them; without any, as
                `executeCompaction`.
            dryRun: write nothing, and return what would be done.

        Returns:
            What was done, in one row.

        Raises:
            TypeError: a column is no str.
            DeltaIllegalArgumentException: a column partitions the table, or is not there.
            DeltaAnalysisException: a column has no statistics, or the table is clustered.
        """
        command = replace(self._command, z_order=_column_names(cols))
        return self._run(command, dry_run=dryRun)

    def explain(self) -> OptimizePreview:
        """Return what `executeCompaction` would do: files and bytes, by partition.

        Raises:
            DeltaAnalysisException: a condition cannot be read, or names other than partition
                columns.
        """
        with shown():
            return self._command.preview(context_of(self._spark))

    def _run(self, command: Optimize, *, dry_run: bool) -> DataFrame | OptimizePreview:
        with shown():
            context = context_of(self._spark)
            if dry_run:
                return command.preview(context)
            row = command.run(context).row(command.table.root)
            return frame_of_rows(self._spark, [row], RESULT)


def _column_names(cols: tuple[str | Iterable[str], ...]) -> tuple[str, ...]:
    given = list(cols)
    if len(cols) == 1 and isinstance(cols[0], (list, tuple)):
        given = list(cols[0])
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"executeZOrderBy takes names of columns, each a str, not {name!r}")
    return tuple(name for name in given if isinstance(name, str))
