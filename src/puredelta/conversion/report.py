"""What a conversion did, or would do, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from puredelta._util.size_text import size_text
from puredelta.conversion.source_file import BadFile
from puredelta.notebook.preview import preview_html
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructField, StructType, simple_string

_WHOSE_ZONE = "of points in time in names of folders that name none"
_SHOWN_FILES = 10
"""How many files with something wrong a text names; `as_dict` has all that were kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """What a conversion to Delta did; or, as a dry run, what it would do.

    Attributes:
        table: The table: a path, a URL or a name.
        source_format: What it was: `parquet` or `iceberg`.
        version: The version that was made; None for a dry run, and where nothing was done.
        is_delta_already: Whether there was nothing to do because it is a Delta table.
        is_dry_run: Whether nothing was to be written.
        files: How many files the table has, or would have.
        size: Their size in bytes.
        rows: Their rows; None when nothing says.
        schema: The columns, those of the partitions among them; None when they are not known.
        partition_columns: Their names.
        time_zone: Where points in time in the names of folders were read that name no zone; None
            where none of the partition columns has any.
        statistics: Whether the log has, or would have, statistics of the files.
        skipped: Files that were left out, and why; of many, the first ones.
        skipped_count: How many files were left out.
        skipped_size: Their size in bytes.
        problems: What would make the conversion fail: of a dry run; of many, the first ones. The
            path of one that is not about a file is empty.
        problem_count: How many there are.
    """

    table: str
    source_format: str
    version: int | None = None
    is_delta_already: bool = False
    is_dry_run: bool = False
    files: int = 0
    size: int = 0
    rows: int | None = None
    schema: StructType | None = None
    partition_columns: tuple[str, ...] = ()
    time_zone: str | None = None
    statistics: bool = True
    skipped: tuple[BadFile, ...] = ()
    skipped_count: int = 0
    skipped_size: int = 0
    problems: tuple[BadFile, ...] = ()
    problem_count: int = 0

    @property
    def would_succeed(self) -> bool:
        """Whether nothing is in the way; true of what was done."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON; the schema as the log would have it."""
        schema = None if self.schema is None else msgspec.json.decode(schema_to_json(self.schema))
        return {
            "table": self.table,
            "sourceFormat": self.source_format,
            "version": self.version,
            "isDeltaAlready": self.is_delta_already,
            "isDryRun": self.is_dry_run,
            "files": self.files,
            "size": self.size,
            "rows": self.rows,
            "schema": schema,
            "partitionColumns": list(self.partition_columns),
            "timeZone": self.time_zone,
            "statistics": self.statistics,
            "skipped": [asdict(file) for file in self.skipped],
            "skippedCount": self.skipped_count,
            "skippedSize": self.skipped_size,
            "problems": [asdict(problem) for problem in self.problems],
            "problemCount": max(self.problem_count, len(self.problems)),
        }

    def __str__(self) -> str:
        lines = (f"  {what}: {text}" for what, text in self._lines())
        return "\n".join([self._head(), *lines])

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preview_html(self._head(), self._lines(), "puredelta-conversion")

    def _head(self) -> str:
        if self.is_delta_already:
            return f"{self.table} is a Delta table already: nothing to do"
        if not self.is_dry_run:
            return f"{self.table}: {self.source_format} to delta, version {self.version}"
        verb = "can be converted" if self.would_succeed else "cannot be converted"
        return f"{self.table}: {self.source_format}, {verb} to delta (dry run)"

    def _lines(self) -> Iterator[tuple[str, str]]:
        if self.is_delta_already:
            return
        yield "files", f"{self.files:,} ({size_text(self.size)})"
        yield "rows", "unknown" if self.rows is None else f"{self.rows:,}"
        yield "partitioned by", ", ".join(map(self._partition, self.partition_columns)) or "-"
        if self.time_zone is not None:
            yield "time zone", f"{self.time_zone}, {_WHOSE_ZONE}"
        yield "statistics", self._origin_of_statistics() if self.statistics else "none"
        for field in self._data_fields():
            yield "column", _column(field)
        if self.skipped_count:
            yield "left out", f"{_files(self.skipped_count)} ({size_text(self.skipped_size)})"
        yield from _named("left out", self.skipped, self.skipped_count)
        yield from _named("problem", self.problems, self.problem_count)

    def _origin_of_statistics(self) -> str:
        return "from the manifests" if self.source_format == "iceberg" else "from the footers"

    def _partition(self, name: str) -> str:
        field = None if self.schema is None else self.schema.field(name)
        return name if field is None else _column(field)

    def _data_fields(self) -> list[StructField]:
        folders = {name.lower() for name in self.partition_columns}
        return [field for field in self.schema or () if field.name.lower() not in folders]


def _column(field: StructField) -> str:
    return f"{field.name} {simple_string(field.data_type)}{'' if field.nullable else ' not null'}"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _named(what: str, files: Sequence[BadFile], count: int) -> Iterator[tuple[str, str]]:
    """Say what is wrong with the first ones; most reasons name their file."""
    shown = files[:_SHOWN_FILES]
    for file in shown:
        yield what, file.reason if file.path in file.reason else f"{file.path}: {file.reason}"
    if (more := max(count, len(files)) - len(shown)) > 0:
        yield what, f"and {more:,} more"
