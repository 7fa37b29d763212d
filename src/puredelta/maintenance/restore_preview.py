"""What a RESTORE would do, for people: as text, as HTML in notebooks, as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.log.actions import Metadata
from puredelta.maintenance.file_difference import live_row_count
from puredelta.maintenance.restore import RestorePlan, lost_files, outcome_of
from puredelta.maintenance.version_difference import value_differences
from puredelta.notebook.preview import preview_html
from puredelta.table.columns.schema_diff import SchemaDifference, schema_differences
from puredelta.table.protocol.protocol import features_of, schema_of

_SHOWN_FILES = 10


@dataclass(frozen=True, slots=True)
class RestoredProperty:
    """What would become of one table property.

    Attributes:
        key: The property.
        before: Its value; None where it is not set.
        after: Its value in the restored version; None where it is not set there.
    """

    key: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        before, after = ("not set" if text is None else text for text in (self.before, self.after))
        return f"{self.key}: {before} -> {after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePreview:
    """What a RESTORE would do to a table; nothing was written.

    Attributes:
        table: The table.
        version: The newest version.
        target: The version that would be restored.
        restored_files: How many files would come back.
        restored_size: Their size, in bytes.
        restored_rows: How many rows they have; None where statistics do not say.
        removed_files: How many files would leave the table.
        removed_size: Their size, in bytes.
        removed_rows: How many rows they have; None where statistics do not say.
        files: How many files the table would have.
        size: The size of the table, in bytes.
        columns: What would become of columns.
        properties: What would become of table properties.
        features_added: Features that the protocol would get.
        features_removed: Features that the protocol would lose.
        missing_files: Files that would have to come back and are gone; with any, the RESTORE fails.
    """

    table: str
    version: int
    target: int
    restored_files: int
    restored_size: int
    restored_rows: int | None
    removed_files: int
    removed_size: int
    removed_rows: int | None
    files: int
    size: int
    columns: tuple[SchemaDifference, ...]
    properties: tuple[RestoredProperty, ...]
    features_added: tuple[str, ...]
    features_removed: tuple[str, ...]
    missing_files: tuple[str, ...]

    @property
    def would_succeed(self) -> bool:
        """Whether no file is missing."""
        return not self.missing_files

    def as_dict(self) -> dict[str, Any]:
        """Return the preview as plain values, for JSON."""
        columns = [str(column) for column in self.columns]
        properties = [asdict(changed) for changed in self.properties]
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "columns": columns, "properties": properties}

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preview_html(self._head(), self._lines())

    def _head(self) -> str:
        return f"RESTORE {self.table} from version {self.version} to {self.target} (dry run)"

    def _lines(self) -> Iterator[tuple[str, str]]:
        if self.version == self.target:
            yield "nothing to do", "the table is at this version"
            return
        undone = self.version - self.target
        yield "undoes", f"{undone:,} version{'' if undone == 1 else 's'}"
        yield "restores", _files(self.restored_files, self.restored_size, self.restored_rows)
        yield "removes", _files(self.removed_files, self.removed_size, self.removed_rows)
        yield "table then", f"{self.files:,} files, {size_text(self.size)}"
        for column in self.columns:
            yield "column", str(column)
        for changed in self.properties:
            yield "property", str(changed)
        if self.features_added:
            yield "features added", ", ".join(self.features_added)
        if self.features_removed:
            yield "features removed", ", ".join(self.features_removed)
        if self.missing_files:
            yield "missing", f"{len(self.missing_files):,} files, so RESTORE would fail"
        for path in self.missing_files[:_SHOWN_FILES]:
            yield "missing file", path


def restore_preview(plan: RestorePlan, options: Mapping[str, str] | None = None) -> RestorePreview:
    """Return what a plan would do, with the files that are gone.

    Args:
        plan: What is to be restored.
        options: What the stores of files outside of the table need to get in.
    """
    outcome, before = outcome_of(plan), plan.before
    now, then = features_of(before.protocol), features_of(plan.protocol)
    return RestorePreview(
        table=plan.table,
        version=before.version,
        target=plan.target.version,
        restored_files=outcome.restored_files,
        restored_size=outcome.restored_size,
        restored_rows=live_row_count(plan.added),
        removed_files=outcome.removed_files,
        removed_size=outcome.removed_size,
        removed_rows=live_row_count(plan.removed),
        files=outcome.files,
        size=outcome.size,
        columns=schema_differences(before.schema, schema_of(plan.metadata)),
        properties=tuple(_changed_properties(before.metadata, plan.metadata)),
        features_added=tuple(sorted(then - now)),
        features_removed=tuple(sorted(now - then)),
        missing_files=tuple(lost_files(plan, options)),
    )


def _changed_properties(before: Metadata, after: Metadata) -> Iterator[RestoredProperty]:
    for found in value_differences(before.configuration, after.configuration):
        yield RestoredProperty(found.key, found.before, found.after)


def _files(count: int, size: int, rows: int | None) -> str:
    shown = "an unknown number of rows" if rows is None else f"{rows:,} rows"
    return f"{count:,} files, {size_text(size)}, {shown}"
