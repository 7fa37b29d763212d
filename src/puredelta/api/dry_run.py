"""The outcome of a dry run of ALTER TABLE, as text and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta._util.preview_text import preview_text
from puredelta.commands.alter.constraint_proof import ConstraintProof
from puredelta.commands.alter.preview import Preview, PropertyChange
from puredelta.log.actions import Protocol
from puredelta.notebook.preview import preview_html
from puredelta.table.columns.schema_diff import SchemaDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a change of a table would do; nothing was written.

    Attributes:
        table: the table.
        version: the version that the change would be based on.
        operation: the operation in the history, `RENAME COLUMN` for example; None where there is
            nothing to do.
        columns: the changes of columns.
        properties: the changes of table properties.
        protocol_before: the reader and the writer version.
        protocol_after: those that the table would have.
        features_added: features that the protocol would get.
        features_removed: features that it would lose.
        readers_losing_access: releases of engines that could no longer read the table.
        files_proven: where rows must meet a condition: files whose statistics show that they do.
        files_to_scan: files that would have to be read for it.
    """

    table: str
    version: int
    operation: str | None
    columns: tuple[SchemaDifference, ...]
    properties: tuple[PropertyChange, ...]
    protocol_before: tuple[int, int]
    protocol_after: tuple[int, int]
    features_added: tuple[str, ...]
    features_removed: tuple[str, ...]
    readers_losing_access: tuple[str, ...]
    files_proven: int | None = None
    files_to_scan: int | None = None

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _repr_html_(self) -> str:
        return preview_html(self._head(), self._lines())

    def _head(self) -> str:
        return (
            f"{self.operation or 'nothing to do'} on {self.table}, version {self.version} (dry run)"
        )

    def _lines(self) -> Iterator[tuple[str, str]]:
        for column in self.columns:
            yield "column", str(column)
        for name in self.properties:
            yield "property", str(name)
        yield "protocol", self._protocol()
        if self.features_added:
            yield "features added", ", ".join(self.features_added)
        if self.features_removed:
            yield "features removed", ", ".join(self.features_removed)
        yield "lose access", ", ".join(self.readers_losing_access) or "no known reader"
        if self.files_to_scan is not None:
            yield "files", f"{self.files_to_scan:,} to be scanned, {self.files_proven:,} proven"

    def _protocol(self) -> str:
        before, after = map(_versions, (self.protocol_before, self.protocol_after))
        return f"{before}, unchanged" if before == after else f"{before} -> {after}"


def dry_run_of(table: str, found: Preview, rows: ConstraintProof | None = None) -> DryRun:
    """Return what a change would do, for people.

    Args:
        table: the table's name or path.
        found: what it would do.
        rows: what is known of its rows, where they must meet a condition.
    """
    return DryRun(
        table=table,
        version=found.version,
        operation=found.operation,
        columns=found.columns,
        properties=found.properties,
        protocol_before=_pair(found.before),
        protocol_after=_pair(found.after),
        features_added=found.features_added,
        features_removed=found.features_removed,
        readers_losing_access=tuple(map(str, found.losing)),
        files_proven=None if rows is None else rows.proven_files,
        files_to_scan=None if rows is None else rows.scanned_files,
    )


def _pair(protocol: Protocol) -> tuple[int, int]:
    return protocol.min_reader_version, protocol.min_writer_version


def _versions(pair: tuple[int, int]) -> str:
    return f"reader {pair[0]}, writer {pair[1]}"
