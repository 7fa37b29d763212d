"""What is in a data file, against what the log says: rows, statistics, deletion vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap64

from puredelta.errors import DeltaError
from puredelta.log.actions import AddFile, DeletionVector
from puredelta.log.checkpoint.ranged_file import RangedFile
from puredelta.schema.datatypes import DOUBLE, FLOAT, STRING, VOID, StructType
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.table.check.column_reader import ColumnValues, read_rows
from puredelta.table.check.file_existence import Place
from puredelta.table.check.finding import Finding, error, warning
from puredelta.table.check.naive_replay import shown_path
from puredelta.table.check.stats_check import (
    MalformedStatsError,
    StatsClaims,
    false_claims,
    read_claims,
)
from puredelta.table.columns.column_mapping import MappingMode, physical_schema
from puredelta.table.deletion_vectors.vectors import read_vector, vector_path
from puredelta.table.statistics.column_stats import ColumnBounds
from puredelta.table.statistics.footer_stats import read_footer_stats
from puredelta.table.statistics.indexed_columns import (
    ALL_COLUMNS,
    Indexing,
    Leaf,
    indexed_leaves,
)

# Writers of Parquet may cut the bounds of longer texts, and a footer does not always say so.
_SURE_TEXT = 63


@dataclass(frozen=True)
class FileContents:
    """Looks into the files of one table.

    Attributes:
        store: The table.
        options: What the stores of deletion vectors outside of the table need to get in.
        leaves: The columns in the files.
        by_name: Is a column that a file does not have null? Otherwise it may have another name.
        quick: Read the footers in place of the rows.
    """

    store: Store
    options: Mapping[str, str]
    leaves: tuple[Leaf, ...]
    by_name: bool
    quick: bool

    def findings(self, add: AddFile, place: Place) -> Iterator[Finding]:
        """Look into one file."""
        path = shown_path(add)
        try:
            parquet = pq.ParquetFile(
                pa.PythonFile(RangedFile(*place), mode="r"), page_checksum_verification=True
            )
            yield from self._opened(add, parquet, path)
        except (pa.ArrowException, OSError) as reason:
            yield error("data-damaged", path, f"It cannot be read as Parquet: {reason}")
        except DeltaError as reason:
            yield error("data-damaged", path, reason.message)

    def _opened(self, add: AddFile, parquet: pq.ParquetFile, path: str) -> Iterator[Finding]:
        rows = parquet.metadata.num_rows
        claims: StatsClaims | None = None
        try:
            claims = read_claims(add.stats) if add.stats else None
        except MalformedStatsError as reason:
            yield error("stats-damaged", path, f"Its statistics cannot be read: {reason}")
        if claims is not None and claims.num_records not in {None, rows}:
            text = f"It has {rows} rows, and the log says {claims.num_records}."
            yield error("num-records", path, text)
        deleted: BitMap64 | None = None
        if add.deletion_vector is not None:
            deleted, faults = self._vector(add.deletion_vector, claims, rows, path)
            yield from faults
            if deleted is None:
                # Without the vector it is unknown for which rows the bounds must hold.
                return
        yield from self._columns(parquet, claims, deleted, path)

    def _vector(
        self, vector: DeletionVector, claims: StatsClaims | None, rows: int, path: str
    ) -> tuple[BitMap64 | None, list[Finding]]:
        found: list[Finding] = []
        if claims is None or claims.num_records is None:
            text = "It has a deletion vector, and the log does not say how many rows."
            found.append(error("num-records-missing", path, text))
        try:
            opened = partial(open_store, options=self.options)
            deleted = read_vector(self.store, self.store.url, vector, opened, file=path)
        except DeltaError as reason:
            return None, [*found, error("deletion-vector-damaged", path, reason.message)]
        if deleted and deleted.max() >= rows:
            where = vector_path(self.store.url, vector) or "the log"
            text = f"The deletion vector in {where} deletes row {deleted.max()} of {rows} rows."
            found.append(error("deletion-vector-row", path, text))
        return deleted, found

    def _columns(
        self,
        parquet: pq.ParquetFile,
        claims: StatsClaims | None,
        deleted: BitMap64 | None,
        path: str,
    ) -> Iterator[Finding]:
        if not self.quick:
            seen = read_rows(parquet, self.leaves, deleted, by_name=self.by_name)
            yield from _misfits(seen, path)
            if claims is not None:
                yield from false_claims(claims, self.leaves, seen.facts, seen.rows, path)
                yield from _hidden_nan(claims, seen, path)
        # A footer describes all rows, and bounds need to hold for those that are left.
        elif claims is not None and not deleted and self.by_name:
            facts = read_footer_stats(parquet.metadata, self.leaves)
            sure = {leaf.path: _sure(facts[leaf.path], leaf) for leaf in self.leaves}
            rows = parquet.metadata.num_rows
            yield from false_claims(claims, self.leaves, sure, rows, path)


def contents_of(
    store: Store,
    options: Mapping[str, str],
    schema: StructType,
    partition_columns: Iterable[str],
    mode: MappingMode,
    *,
    quick: bool,
) -> FileContents:
    """Prepare to look into the files of a table.

    Args:
        store: The table.
        options: What stores need to get in.
        schema: The table's schema.
        partition_columns: Its columns that do not lie in files.
        mode: How its columns are mapped.
        quick: Read the footers in place of the rows.
    """
    outside = {name.lower() for name in partition_columns}
    inside = StructType(tuple(field for field in schema if field.name.lower() not in outside))
    # All columns, whatever the table indexes now: older files may have statistics of others.
    leaves = indexed_leaves(physical_schema(inside, schema, mode), Indexing(count=ALL_COLUMNS))
    stored = tuple(leaf for leaf in leaves if leaf.data_type != VOID)
    return FileContents(store, options, stored, mode is not MappingMode.ID, quick)


def _misfits(seen: ColumnValues, path: str) -> Iterator[Finding]:
    for column, text in seen.misfits.items():
        yield error("column-type", path, f"Column {'.'.join(column)} has the type {text}")


def _hidden_nan(claims: StatsClaims, seen: ColumnValues, path: str) -> Iterator[Finding]:
    """Look for NaN in columns with a maximum: to Spark, NaN is greater than any number."""
    for column in sorted(seen.with_nan):
        tree: object = claims.greatest
        for part in column:
            tree = tree.get(part) if isinstance(tree, Mapping) else None
        if tree is not None and tree != "NaN":
            text = f"Column {'.'.join(column)} holds NaN, and the log says that {tree} is greatest."
            yield warning("nan-above-max", path, text)


def _sure(facts: ColumnBounds, leaf: Leaf) -> ColumnBounds:
    """Leave out what a footer may not know exactly."""
    # Footers of floats leave out NaN and may have either sign of zero.
    if leaf.data_type in (FLOAT, DOUBLE):
        return ColumnBounds(nulls=facts.nulls)
    if leaf.data_type != STRING:
        return facts
    bounds = (facts.minimum, facts.maximum)
    long = any(bound is not None and len(bound.encode()) > _SURE_TEXT for bound in bounds)
    return ColumnBounds(nulls=facts.nulls) if long else facts
