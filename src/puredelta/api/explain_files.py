"""Which files a query with a condition reads, and which part of it excludes the others."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from puredelta._util.size_text import size_text
from puredelta.api.replace_where import sql_of
from puredelta.commands.table_ref import TableRef
from puredelta.engine.dml.candidate_files import Choice, choices
from puredelta.log.files import FILES
from puredelta.notebook.preview import sentences_html
from puredelta.table.skipping.describe import condition_text

PARTITIONS, STATISTICS = "partitions", "statistics"


@dataclass(frozen=True, slots=True)
class ConditionExplained:
    """What one part of a condition does on its own.

    Attributes:
        condition: the part, in SQL.
        by: what it is compared with: `partitions` or `statistics`.
        files_skipped: how many files contain no row for which it is true.
        bytes_skipped: their size; None for partitions, of which only files are counted.
        note: why it skips nothing, where that is known.
    """

    condition: str
    by: str
    files_skipped: int
    bytes_skipped: int | None = None
    note: str | None = None

    def __str__(self) -> str:
        return f"{self.by}: {self.condition}: {self.effect}"

    @property
    def effect(self) -> str:
        """What it does, in words."""
        if self.note is not None:
            return f"not used ({self.note})"
        if not self.files_skipped:
            return "skips no file"
        size = "" if self.bytes_skipped is None else f", {size_text(self.bytes_skipped)}"
        files = "1 file" if self.files_skipped == 1 else f"{self.files_skipped:,} files"
        return f"skips {files}{size}"


@dataclass(frozen=True, slots=True)
class FilesExplained:
    """The files that a query with a condition reads.

    Attributes:
        table: the table.
        version: its version.
        condition: the condition as it was given; None for none.
        files: how many files are read.
        bytes: their size.
        all_files: how many files the version has.
        all_bytes: their size.
        parts: what each part of the condition does; empty when none was compared.
    """

    table: str
    version: int
    condition: str | None
    files: int
    bytes: int
    all_files: int
    all_bytes: int
    parts: tuple[ConditionExplained, ...]
    _read: pa.Table = field(repr=False, compare=False)

    def paths(self) -> list[str]:
        """Return the paths of the files that are read, below the table."""
        found: list[str] = self._read["path"].to_pylist()
        return found

    def __str__(self) -> str:
        lines = [self._head(), *(f"  {part}" for part in self.parts)]
        if not self.parts:
            lines.append(f"  {self._why_nothing()}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        rows = [(part.condition, part.by, part.effect) for part in self.parts]
        note = None if rows else self._why_nothing()
        columns = ("Condition", "Compared with", "Effect")
        return sentences_html("puredelta-files", self._head(), columns, rows, note)

    def _head(self) -> str:
        return (
            f"{self.table} version {self.version}: reads {self.files:,} of {self.all_files:,} "
            f"files, {size_text(self.bytes)} of {size_text(self.all_bytes)}"
        )

    def _why_nothing(self) -> str:
        if self.condition is None:
            return "there is no condition"
        if self.files:
            return "no part of the condition can be compared with partitions or statistics"
        return "the condition is never true" if self.all_files else "the table is empty"


def explain_files(
    table: TableRef, frame: DataFrame, condition: str | Column | None
) -> FilesExplained:
    """Return which files of a table a condition reads; see `DeltaTable.explain_files`.

    Args:
        table: the table.
        frame: the same as a DataFrame.
        condition: over its columns.
    """
    found = choices(frame if condition is None else frame.where(condition))
    text = None if condition is None else sql_of(frame, condition)
    # Spark replaces a query that can have no rows by an empty plan, without a scan.
    return explained_files(table, text, found[0]) if found else _nothing(table, text)


def explained_files(table: TableRef, condition: str | None, choice: Choice) -> FilesExplained:
    """Return how the files of a scan were chosen.

    Args:
        table: the table.
        condition: what the files were chosen by, in SQL; None for none.
        choice: what was found.
    """
    parts = [
        ConditionExplained(
            condition_text(effect.condition),
            STATISTICS,
            effect.files_skipped,
            effect.bytes_skipped,
            effect.failure,
        )
        for effect in choice.effects
    ]
    # Spark evaluates all partition filters at once, so they are one part.
    if choice.partition_filters:
        skipped = choice.all_files - choice.in_partitions
        parts.insert(0, ConditionExplained(choice.partition_filters, PARTITIONS, skipped))
    return FilesExplained(
        table=table.label,
        version=choice.version,
        condition=condition,
        files=choice.files.num_rows,
        bytes=choice.bytes,
        all_files=choice.all_files,
        all_bytes=choice.all_bytes,
        parts=tuple(parts),
        _read=choice.files,
    )


def _nothing(table: TableRef, condition: str | None) -> FilesExplained:
    """Explain a condition of which Spark knows that it is never true."""
    snapshot = table.log().latest()
    return FilesExplained(
        table=table.label,
        version=snapshot.version,
        condition=condition,
        files=0,
        bytes=0,
        all_files=snapshot.num_files,
        all_bytes=snapshot.size_in_bytes,
        parts=(),
        _read=FILES.empty_table(),
    )
