"""How two versions of a table differ: files, rows, schema, properties, protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.log.actions import Metadata
from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted, total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.file_difference import files_not_in, live_row_count
from puredelta.table.columns.schema_diff import SchemaDifference, schema_differences
from puredelta.table.protocol.protocol import features_of

CHANGED_FILES = pa.schema(
    [
        ("change", pa.string()),
        ("path", pa.string()),
        ("size", pa.int64()),
        ("num_records", pa.int64()),
        ("num_deleted_before", pa.int64()),
        ("num_deleted", pa.int64()),
    ]
)
"""Columns of the files in which two versions differ; see `VersionDifference.files`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTotals:
    """Some files of a version.

    Attributes:
        files: How many there are.
        size: Their size, in bytes.
        rows: How many rows they have that are not deleted; None where statistics do not say.
    """

    files: int
    size: int
    rows: int | None

    def __str__(self) -> str:
        rows = "an unknown number of rows" if self.rows is None else _counted(self.rows, "row")
        return f"{_counted(self.files, 'file')}, {size_text(self.size)}, {rows}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueDifference:
    """A text that two versions have different values for.

    Attributes:
        key: What it is: a property, for example.
        before: Its value; None where it is not set.
        after: Its value in the other version; None where it is not set there.
    """

    key: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        before, after = ("not set" if text is None else text for text in (self.before, self.after))
        return f"{self.key}: {before} -> {after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDifference:
    """How one version of a table differs from another, which may be the older or the newer one.

    Attributes:
        table: The URL of the table.
        before: The version that is compared.
        after: The version that it is compared with.
        totals_before: The files of `before`.
        totals_after: The files of `after`.
        added: The files that only `after` has.
        removed: The files that only `before` has.
        changed: The files of both whose deletion vectors differ, with their rows in `after`.
        rows_of_changed_before: The rows that these have in `before`; None where it is not known.
        columns: How the schemas differ.
        properties: How the table properties differ.
        definition: What else of the table's definition differs: id, name, description, partition
            columns, and the domain metadata of features.
        protocol: Reader and writer version, where they differ.
        features_added: Features that only `after` has.
        features_removed: Features that only `before` has.
        files: A row a file in which the versions differ, in the columns `CHANGED_FILES`: `change`
            is `added`, `removed` or `changed`.
    """

    table: str
    before: int
    after: int
    totals_before: FileTotals
    totals_after: FileTotals
    added: FileTotals
    removed: FileTotals
    changed: FileTotals
    rows_of_changed_before: int | None
    columns: tuple[SchemaDifference, ...]
    properties: tuple[ValueDifference, ...]
    definition: tuple[ValueDifference, ...]
    protocol: tuple[ValueDifference, ...]
    features_added: tuple[str, ...]
    features_removed: tuple[str, ...]
    files: pa.Table

    def as_dict(self) -> dict[str, Any]:
        """Return the differences as plain values, for JSON; `files` is left out."""
        values = {name: _plain(getattr(self, name)) for name in self.__slots__ if name != "files"}
        columns = [
            {
                "kind": found.kind.value,
                "column": found.column,
                "before": found.before,
                "after": found.after,
            }
            for found in self.columns
        ]
        return {**values, "columns": columns}

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _head(self) -> str:
        return f"{self.table} from version {self.before} to version {self.after}"

    def _lines(self) -> Iterator[tuple[str, str]]:
        if self.added.files:
            yield "added", str(self.added)
        if self.removed.files:
            yield "removed", str(self.removed)
        if self.changed.files:
            yield "other rows deleted", self._changed_text()
        if not self.files.num_rows:
            yield "files", "the same"
        yield "table before", str(self.totals_before)
        yield "table after", str(self.totals_after)
        for column in self.columns:
            yield "column", str(column)
        for changed in self.properties:
            yield "property", str(changed)
        for changed in (*self.definition, *self.protocol):
            yield changed.key, f"{_shown(changed.before)} -> {_shown(changed.after)}"
        if self.features_added:
            yield "features added", ", ".join(self.features_added)
        if self.features_removed:
            yield "features removed", ", ".join(self.features_removed)

    def _changed_text(self) -> str:
        files, before, after = self.changed.files, self.rows_of_changed_before, self.changed.rows
        if before is None or after is None:
            return f"{_counted(files, 'file')}, an unknown number of rows"
        way = "fewer" if after <= before else "more"
        return f"{_counted(files, 'file')} with {_counted(abs(after - before), 'row')} {way}"


def version_difference(before: Snapshot, after: Snapshot) -> VersionDifference:
    """Compare two versions of a table, in either order.

    Rows are counted by the statistics of the log; no data file is read.

    Args:
        before: A version.
        after: The version that it is compared with.

    Raises:
        DeltaIllegalStateError: The log is damaged.
        DeltaFileNotFoundError: The log was cleaned up since, and a version with it.
    """
    gone, new = files_not_in(before.files, after.files), files_not_in(after.files, before.files)
    # A file in both has another deletion vector, and is still one file.
    stays = pc.is_in(gone["path"], value_set=new["path"].combine_chunks())
    comes = pc.is_in(new["path"], value_set=gone["path"].combine_chunks())
    removed, changed_before = gone.filter(pc.invert(stays)), gone.filter(stays)
    added, changed = new.filter(pc.invert(comes)), new.filter(comes)
    now, then = features_of(before.protocol), features_of(after.protocol)
    return VersionDifference(
        table=before.store.url,
        before=before.version,
        after=after.version,
        totals_before=_totals(before.files),
        totals_after=_totals(after.files),
        added=_totals(added),
        removed=_totals(removed),
        changed=_totals(changed),
        rows_of_changed_before=live_row_count(changed_before),
        columns=schema_differences(before.schema, after.schema),
        properties=tuple(value_differences(before.configuration, after.configuration)),
        definition=tuple(value_differences(_definition(before), _definition(after))),
        protocol=tuple(value_differences(_protocol(before), _protocol(after))),
        features_added=tuple(sorted(then - now)),
        features_removed=tuple(sorted(now - then)),
        files=_changed_files(added, removed, changed_before, changed),
    )


def value_differences(
    before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[ValueDifference]:
    """Yield the keys whose values differ, sorted.

    >>> [str(found) for found in value_differences({"a": "1"}, {"a": "2", "b": "3"})]
    ['a: 1 -> 2', 'b: not set -> 3']
    """
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            yield ValueDifference(key=key, before=before.get(key), after=after.get(key))


def _totals(files: pa.Table) -> FileTotals:
    return FileTotals(files=files.num_rows, size=total_bytes(files), rows=live_row_count(files))


def _definition(snapshot: Snapshot) -> dict[str, str]:
    metadata: Metadata = snapshot.metadata
    texts = {
        "id": metadata.id,
        "name": metadata.name,
        "description": metadata.description,
        "partition columns": ", ".join(metadata.partition_columns) or None,
    }
    domains = {f"domain {name}": found.configuration for name, found in snapshot.domains.items()}
    return {key: text for key, text in texts.items() if text is not None} | domains


def _protocol(snapshot: Snapshot) -> dict[str, str]:
    protocol = snapshot.protocol
    return {
        "reader version": str(protocol.min_reader_version),
        "writer version": str(protocol.min_writer_version),
    }


def _changed_files(
    added: pa.Table, removed: pa.Table, changed_before: pa.Table, changed: pa.Table
) -> pa.Table:
    """Put the files in which versions differ into one table, of `CHANGED_FILES`."""
    # The two sides of the changed files may come in different orders.
    changed_before = changed_before.take(pc.sort_indices(changed_before["path"]))
    changed = changed.take(pc.sort_indices(changed["path"]))
    # In a version without a file nothing of it is deleted.
    parts = [
        _rows("added", added, None, num_deleted(added)),
        _rows("removed", removed, num_deleted(removed), None),
        _rows("changed", changed, num_deleted(changed_before), num_deleted(changed)),
    ]
    return pa.concat_tables(parts)


def _rows(
    change: str, files: pa.Table, before: pa.ChunkedArray | None, after: pa.ChunkedArray | None
) -> pa.Table:
    nothing = pa.nulls(files.num_rows, pa.int64())
    columns = [
        pa.array([change] * files.num_rows, pa.string()),
        files["path"],
        files["size"],
        num_records(files),
        nothing if before is None else before,
        nothing if after is None else after,
    ]
    return pa.table(dict(zip(CHANGED_FILES.names, columns, strict=True))).cast(CHANGED_FILES)


def _plain(value: object) -> Any:
    match value:
        case FileTotals() | ValueDifference():
            return asdict(value)
        case tuple():
            return [_plain(part) for part in value]
        case _:
            return value


def _shown(text: str | None) -> str:
    return "none" if text is None else text


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
