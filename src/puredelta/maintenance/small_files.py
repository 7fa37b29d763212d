"""Many small files of this machine, read as one Arrow table.

Spark takes a millisecond to open a file, Arrow a tenth of it.
Only what Arrow and Spark read alike is read here; for all other files the answer is None.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted
from puredelta.log.snapshot import Snapshot
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import PRIMITIVES, VARIANT, VOID, DataType, DecimalType
from puredelta.storage.location import absolute, local_path
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.protocol.protocol import features_of
from puredelta.table.statistics.footer_trust import LEGACY_DATES, SPARK_VERSION, is_hybrid

# As few as Spark opens as fast.
_FEWEST_FILES = 100
_MOST_BYTES, _MOST_ROWS = 16 << 20, 500_000
_MOST_UNPACKED = 64 << 20

_SIMPLE = frozenset(PRIMITIVES.values()) - {VARIANT, VOID}
_LEGACY = (LEGACY_DATES, b"org.apache.spark.legacyINT96")
# It wrote instants in the form of old files by the calendar of Spark 2, without a note.
_SPARK_3_0 = b"3.0."
_NAIVE, _INSTANT = pa.timestamp("us"), pa.timestamp("us", "UTC")
# Their files have row ids, or columns under other names or of other types.
_OTHER_FILES = frozenset({"columnMapping", "rowTracking", "typeWidening"})


def read_small_files(snapshot: Snapshot, files: pa.Table, root: str) -> pa.Table | None:
    """Return the rows of many small files in the columns of their table; None for other files.

    Args:
        snapshot: the table.
        files: rows of `snapshot.files`.
        root: the URL of the table.
    """
    if not _are_small(files) or not _is_plain(snapshot):
        return None
    paths = [local_path(absolute(root, path)) for path in files["path"].to_pylist()]
    if None in paths:
        return None
    try:
        return _read([path for path in paths if path], _arrow_schema(snapshot))
    except (pa.ArrowException, OSError):
        # Spark knows more forms of files than Arrow, and says better what is wrong with one.
        return None


def _are_small(files: pa.Table) -> bool:
    if files.num_rows < _FEWEST_FILES or (pc.sum(files["size"]).as_py() or 0) > _MOST_BYTES:
        return False
    rows = num_records(files)
    marked = pc.any(pc.greater(num_deleted(files), 0)).as_py()
    return not rows.null_count and not marked and pc.sum(rows).as_py() <= _MOST_ROWS


def _is_plain(snapshot: Snapshot) -> bool:
    return (
        not snapshot.metadata.partition_columns
        and mapping_mode(snapshot.configuration) is MappingMode.NONE
        and _OTHER_FILES.isdisjoint(features_of(snapshot.protocol))
        and all(_is_simple(field.data_type) for field in snapshot.schema)
    )


def _is_simple(data_type: DataType) -> bool:
    return data_type in _SIMPLE or isinstance(data_type, DecimalType)


def _arrow_schema(snapshot: Snapshot) -> pa.Schema:
    return pa.schema([(field.name, type_to_arrow(field.data_type)) for field in snapshot.schema])


def _read(paths: Sequence[str], schema: pa.Schema) -> pa.Table | None:
    has_instants = any(column.type == _INSTANT for column in schema)
    known, parts = None, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for rows, instants in pool.map(partial(_read_one, has_instants=has_instants), paths):
            # Most files have the schema of the one before.
            if known is None or not rows.schema.equals(known, check_metadata=True):
                if not _is_plain_file(rows.schema.metadata or {}):
                    return None
                known = rows.schema
            if not _is_same(rows.schema, schema, instants):
                return None
            plain = rows.replace_schema_metadata(None)
            # Instants of old files have no zone. All other columns are as they are to be.
            parts.append(plain.cast(schema) if instants else plain)
    found = pa.concat_tables(parts)
    return found if found.nbytes <= _MOST_UNPACKED else None


def _read_one(path: str, *, has_instants: bool) -> tuple[pa.Table, frozenset[str]]:
    """Return the rows of a file, and the columns with instants in the form of old files."""
    with pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
        rows = file.read(use_threads=False)
        if not has_instants:
            return rows, frozenset()
        old = (column.name for column in file.schema if column.physical_type == "INT96")
        return rows, frozenset(old)


def _is_plain_file(notes: Mapping[bytes, bytes]) -> bool:
    """Say whether no day or instant of a file is of the calendar that Spark 2 had."""
    is_3_0 = notes.get(SPARK_VERSION, b"").startswith(_SPARK_3_0)
    return not (is_hybrid(notes) or is_3_0 or any(note in notes for note in _LEGACY))


def _is_same(have: pa.Schema, want: pa.Schema, instants: Container[str]) -> bool:
    return have.names == want.names and all(
        one.type == other.type or (one.name in instants and one.type == _NAIVE)
        for one, other in zip(have, want, strict=True)
    )
