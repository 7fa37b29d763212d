"""Rows that delete files take away from data files: deletion vectors do so in a Delta table.

Protocol: Deletion Vectors. Iceberg keeps row numbers in Parquet files up to its version 2, and
from version 3 on in the same form as Delta tables do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyroaring import BitMap64

from puredelta.conversion.iceberg.delete_files import DeleteFile
from puredelta.conversion.iceberg.locations import StoreFiles
from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
from puredelta.table.deletion_vectors.vectors import deserialize

# In front of the row numbers stands their length, behind them a checksum.
_FRAME = 4


@dataclass(slots=True)
class DeletedRows:
    """The deleted rows of data files, by the names of the files.

    Attributes:
        rows: Row numbers, with the number of the commit that deleted them.
    """

    rows: dict[str, list[tuple[int, BitMap64]]] = field(default_factory=dict)

    def of(self, name: str, sequence: int) -> BitMap64 | None:
        """Return which rows of a file are deleted; None when all are there.

        Args:
            name: The file.
            sequence: The number of the commit that brought it.
        """
        found = [rows for number, rows in self.rows.get(name, ()) if number >= sequence]
        return BitMap64.union(*found) if found else None


def read_deleted_rows(files: Iterable[DeleteFile], source: StoreFiles, table: str) -> DeletedRows:
    """Read which rows are deleted.

    Raises:
        DeltaUnsupportedOperationError: Rows are deleted by the values they have, or by files in
            another format than Parquet and Puffin (DELTA_ICEBERG_DELETE_FILES).
        DeltaIllegalStateError: A file is damaged (DELTA_ICEBERG_METADATA_UNREADABLE).
    """
    found = DeletedRows()
    for file in files:
        for data_file, rows in _rows(file, source, table):
            name = source.locations.name(data_file)
            found.rows.setdefault(name, []).append((file.sequence, rows))
    return found


def _rows(file: DeleteFile, source: StoreFiles, table: str) -> Iterator[tuple[str, BitMap64]]:
    if not file.by_position or file.format not in ("PARQUET", "PUFFIN"):
        kind = f"position delete files in {file.format}" if file.by_position else "equality deletes"
        raise DeltaUnsupportedOperationError(
            "DELTA_ICEBERG_DELETE_FILES", table=table, kind=kind, path=file.path
        )
    data = source.read(file.path)
    if file.format == "PARQUET":
        yield from _from_parquet(file, data)
    elif file.data_file is not None and file.offset is not None and file.length is not None:
        yield file.data_file, _from_puffin(file, data[file.offset : file.offset + file.length])


def _from_parquet(file: DeleteFile, data: bytes) -> Iterator[tuple[str, BitMap64]]:
    try:
        found = pq.read_table(pa.BufferReader(data), columns=["file_path", "pos"])
    except (pa.ArrowException, OSError, KeyError) as error:
        raise _damaged(file, " ".join(str(error).split())) from error
    for path in pc.unique(found["file_path"]).to_pylist():
        positions: Any = found["pos"].filter(pc.equal(found["file_path"], path))
        yield path, BitMap64(positions.to_pylist())


def _from_puffin(file: DeleteFile, framed: bytes) -> BitMap64:
    size = int.from_bytes(framed[:_FRAME], "big")
    if len(framed) < size + 2 * _FRAME:
        raise _damaged(file, "it is shorter than the manifest says")
    return deserialize(framed[_FRAME : _FRAME + size], file.path)


def _damaged(file: DeleteFile, reason: str) -> DeltaIllegalStateError:
    return DeltaIllegalStateError(
        "DELTA_ICEBERG_METADATA_UNREADABLE", path=file.path, reason=reason
    )
