"""Tables whose log is written by hand, for features that nothing here writes yet."""

import json
import shutil
import uuid
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap64

from puredelta.table.deletion_vectors import z85
from puredelta.table.deletion_vectors.vectors import inline, serialize

LOG = "_delta_log"


def last_version(root: Path) -> int:
    return max(int(file.stem) for file in (root / LOG).glob("*.json"))


def commit(root: Path, *actions: dict) -> None:
    """Add a version with these actions, whatever they are."""
    file = root / LOG / f"{last_version(root) + 1:020}.json"
    file.write_text("".join(json.dumps(action) + "\n" for action in actions), "utf-8")


def adds_of(root: Path, version: int = 0) -> list[dict]:
    lines = (root / LOG / f"{version:020}.json").read_text("utf-8").splitlines()
    return [found["add"] for found in map(json.loads, lines) if "add" in found]


def allow(*features: str, also: Sequence[str] = ()) -> dict:
    """Return a protocol with features of readers, and others that are of writers alone."""
    return {
        "protocol": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": list(features),
            "writerFeatures": [*features, *also],
        }
    }


def take_away(root: Path, rows: dict[str, set[int]], *, as_file: bool) -> None:
    """Delete rows, by their places in the files, through deletion vectors.

    Args:
        root: the table.
        rows: the rows of each file, by its path in the log.
        as_file: put the vectors into one file; else they are inline.
    """
    actions = [allow("deletionVectors")]
    content = b"\x01"
    name = uuid.uuid4()
    for add in adds_of(root):
        deleted = BitMap64(rows.get(add["path"], ()))
        if not deleted:
            continue
        if as_file:
            bitmap = serialize(deleted)
            vector = {
                "storageType": "p",
                "pathOrInlineDv": f"file:{root}/deletion_vector_{name}.bin",
                "offset": len(content),
                "sizeInBytes": len(bitmap),
                "cardinality": len(deleted),
            }
            content += _framed(bitmap)
        else:
            told = inline(deleted)
            vector = {
                "storageType": "i",
                "pathOrInlineDv": told.path_or_inline_dv,
                "sizeInBytes": told.size_in_bytes,
                "cardinality": told.cardinality,
            }
        actions.append({"remove": {"path": add["path"], "dataChange": True}})
        actions.append({"add": {**add, "deletionVector": vector}})
    (root / f"deletion_vector_{name}.bin").write_bytes(content)
    commit(root, *actions)


def _framed(bitmap: bytes) -> bytes:
    size = len(bitmap).to_bytes(4, "big")
    return size + bitmap + zlib.crc32(bitmap).to_bytes(4, "big")


def map_columns(root: Path, fields: list[dict], partitions: list[str], mode: str) -> None:
    """Give the columns of a table other names than its files have."""
    lines = (root / LOG / f"{0:020}.json").read_text("utf-8").splitlines()
    before = next(found["metaData"] for found in map(json.loads, lines) if "metaData" in found)
    metadata = {
        **before,
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": partitions,
        "configuration": {
            "delta.columnMapping.mode": mode,
            "delta.columnMapping.maxColumnId": "99",
        },
    }
    commit(root, allow("columnMapping"), {"metaData": metadata})


def field(name: str, kind: object, physical: str, number: int) -> dict:
    """Describe a column that files know under another name."""
    return {
        "name": name,
        "type": kind,
        "nullable": True,
        "metadata": {
            "delta.columnMapping.physicalName": physical,
            "delta.columnMapping.id": number,
        },
    }


def write_rows(folder: Path, rows: int) -> Path:
    """Write a data file with the ids from 0 on, one row each."""
    folder.mkdir()
    file = folder / "a.parquet"
    pq.write_table(pa.table({"id": pa.array(range(rows), pa.int64())}), file)
    return file


def with_files(root: Path, file: Path, places: Mapping[str, Path]) -> None:
    """Make a table of copies of a data file.

    Args:
        root: where it comes to lie.
        file: the data file, of `write_rows`.
        places: where each copy comes to lie, by its path in the log.
    """
    adds = []
    for path, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
        adds.append(_add(file, path))
    _create(root, *adds)


def with_vector(
    root: Path, file: Path, data: bytes, cardinality: int, *, as_file: bool, text: str | None = None
) -> None:
    """Make a table of one file with a deletion vector.

    Args:
        root: where it comes to lie.
        file: the data file, of `write_rows`; it is copied.
        data: the vector from its magic number on, whatever it holds.
        cardinality: how many rows it has, as the log says.
        as_file: put it into a file; else it is inline.
        text: how an inline vector is written; as Z85 unless given.
    """
    (root / LOG).mkdir(parents=True)
    shutil.copy(file, root)
    if as_file:
        name = uuid.uuid4()
        frame = len(data).to_bytes(4, "big"), zlib.crc32(data).to_bytes(4, "big")
        content = b"\x01" + frame[0] + data + frame[1]
        (root / f"deletion_vector_{name}.bin").write_bytes(content)
        place = {"storageType": "u", "pathOrInlineDv": z85.encode(name.bytes), "offset": 1}
    else:
        place = {"storageType": "i", "pathOrInlineDv": text or z85.encode(data)}
    vector = {**place, "sizeInBytes": len(data), "cardinality": cardinality}
    _create(root, _add(file, file.name, deletionVector=vector))


def _add(file: Path, path: str, **others: object) -> dict:
    stats = json.dumps({"numRecords": pq.read_metadata(file).num_rows})
    add = {
        "path": path,
        "partitionValues": {},
        "size": file.stat().st_size,
        "modificationTime": 0,
        "dataChange": True,
        "stats": stats,
        **others,
    }
    return {"add": add}


def _create(root: Path, *adds: dict) -> None:
    fields = [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]
    metadata = {
        "id": str(uuid.uuid4()),
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": {},
    }
    (root / LOG).mkdir(parents=True, exist_ok=True)
    actions = [allow("deletionVectors"), {"metaData": metadata}, *adds]
    lines = "".join(json.dumps(action) + "\n" for action in actions)
    (root / LOG / f"{0:020}.json").write_text(lines, "utf-8")
