"""A table of 100,000 files, and a scan with deletion vectors: ours, delta-spark, plain Parquet.

python bench/large_log.py      prints the table that `run.py` adds to RESULTS.md
"""

import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap64
from sides import SIDES, comparison, side

from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DeletionVector,
    Format,
    Metadata,
    Protocol,
    encode_commit,
)
from puredelta.log.names import commit_name
from puredelta.table.deletion_vectors.vectors import serialize

OPERATIONS = Path(__file__).resolve().parent / "large_log_operations.py"
FILES, COMMITS, PARTITIONS = 100_000, 100, 10_000
SCAN_FILES, SCAN_ROWS, DELETED = 4, 2_000_000, 2_000

# What each operation is held against, and the ratio to reach.
GOALS = {
    "first point query": ("delta-spark", 0.15),
    "point query, warm": ("delta-spark", 0.5),
    "COUNT(*)": ("delta-spark", 0.3),
    "query that statistics leave no file": ("delta-spark", 0.5),
    "list all files": ("delta-spark", 0.1),
    "the same, as a list in Python": ("delta-spark", 1.0),
    "point query after another commit": ("delta-spark", 0.5),
    "checkpoint": ("delta-spark", 0.5),
    "scan with deletion vectors": ("parquet", 1.1),
}

_SCHEMA = (
    '{"type":"struct","fields":['
    '{"name":"id","type":"long","nullable":true,"metadata":{}},'
    '{"name":"p","type":"string","nullable":true,"metadata":{}}]}'
)
_SCAN_SCHEMA = (
    '{"type":"struct","fields":['
    '{"name":"id","type":"long","nullable":true,"metadata":{}},'
    '{"name":"i","type":"integer","nullable":true,"metadata":{}},'
    '{"name":"d","type":"double","nullable":true,"metadata":{}},'
    '{"name":"v","type":"string","nullable":true,"metadata":{}}]}'
)
_INFO = CommitInfo(timestamp=1, operation="WRITE", operation_parameters={"mode": "Append"})


def make_many(root: Path) -> None:
    """Make a log of 100 commits of 1,000 files; only the files of one partition are there."""
    per_commit = FILES // COMMITS
    for version in range(COMMITS):
        numbers = range(version * per_commit, (version + 1) * per_commit)
        head: list[Action] = [_INFO]
        if version == 0:
            head += [
                _metadata(_SCHEMA, ["p"]),
                Protocol(min_reader_version=1, min_writer_version=2),
            ]
        _commit(root, version, [*head, *map(_many, numbers)])
    rows = pa.table({"id": pa.array(range(10), pa.int64())})
    for number in range(7, FILES, PARTITIONS):
        file = root / _many(number).path
        file.parent.mkdir(exist_ok=True)
        pq.write_table(rows, file)


def make_deleted(root: Path) -> None:
    """Make 4 files of 2,000,000 rows, 2,000 deleted in each by a vector of their own."""
    bitmap = serialize(BitMap64(range(7, SCAN_ROWS, SCAN_ROWS // DELETED)))
    (root / "_delta_log").mkdir(parents=True)
    vectors = root / "deletion_vector_bench.bin"
    crc = zlib.crc32(bitmap).to_bytes(4, "big")
    vectors.write_bytes(b"\x01" + len(bitmap).to_bytes(4, "big") + bitmap + crc)
    vector = DeletionVector(
        storage_type="p",
        path_or_inline_dv=f"file:{vectors}",
        offset=1,
        size_in_bytes=len(bitmap),
        cardinality=DELETED,
    )
    features = ["deletionVectors"]
    protocol = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=features,
        writer_features=features,
    )
    adds = [_scanned(root, number, vector) for number in range(SCAN_FILES)]
    _commit(root, 0, [_INFO, _metadata(_SCAN_SCHEMA, []), protocol, *adds])


def _scanned(root: Path, number: int, vector: DeletionVector) -> AddFile:
    ids = pa.array(range(number * SCAN_ROWS, (number + 1) * SCAN_ROWS), pa.int64())
    rows = pa.table(
        {
            "id": ids,
            "i": pa.array([n % 100_000 for n in range(SCAN_ROWS)], pa.int32()),
            "d": pa.array([n / 7 for n in range(SCAN_ROWS)], pa.float64()),
            "v": pa.array([f"customer#{n % 50_000}" for n in range(SCAN_ROWS)]),
        }
    )
    file = root / f"part-{number}.parquet"
    pq.write_table(rows, file, row_group_size=500_000)
    return AddFile(
        path=file.name,
        partition_values={},
        size=file.stat().st_size,
        modification_time=1,
        data_change=True,
        stats=f'{{"numRecords":{SCAN_ROWS},"tightBounds":false}}',
        deletion_vector=vector,
    )


def _many(number: int) -> AddFile:
    value = f"{number % PARTITIONS:05d}"
    return AddFile(
        path=f"p={value}/part-{number:09d}-3f1c9d52-9d0e-4a47-8c64-5d1a6c0f5c1e.parquet",
        partition_values={"p": value},
        size=505,
        modification_time=1_700_000_000_000 + number,
        data_change=True,
        stats='{"numRecords":10,"minValues":{"id":0},"maxValues":{"id":9},"nullCount":{"id":0}}',
    )


def _metadata(schema: str, partitions: list[str]) -> Metadata:
    return Metadata(
        id="3f1c9d52-9d0e-4a47-8c64-5d1a6c0f5c1e",
        format=Format(),
        schema_string=schema,
        partition_columns=partitions,
        configuration={},
        created_time=1,
    )


def _commit(root: Path, version: int, actions: list[Action]) -> None:
    file = root / commit_name(version)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(encode_commit(actions))


def large_log() -> str:
    """Measure all sides and return the results as a section of a page."""
    folder = Path(tempfile.mkdtemp())
    try:
        make_deleted(folder / "deleted")
        seen = {}
        for name in SIDES:
            # Commits and checkpoints of one side must not help or hinder the next.
            make_many(folder / name)
            seen[name] = side(name, OPERATIONS, str(folder / name), str(folder / "deleted"))
    finally:
        shutil.rmtree(folder)
    scale = [sys.executable, str(OPERATIONS.parent / "log_scale.py")]
    told = subprocess.run(scale, capture_output=True, text=True, check=True).stdout
    return f"{_report(seen)}\nWithout Spark (`python bench/log_scale.py`):\n{told}"


def _report(seen: dict[str, dict[str, list[float]]]) -> str:
    lines = [
        "",
        f"A table of {FILES:,} files in {COMMITS} JSON commits without a checkpoint, each side in",
        f"a new process; {SCAN_FILES * SCAN_ROWS:,} rows with {SCAN_FILES * DELETED:,} deleted by",
        "vectors (Parquet reads them all). PySpark carries what `inputFiles` finds to Python",
        "one by one, as long on both sides; the row `list all files` stops before that:",
        "",
    ]
    return "\n".join([*lines, *comparison(GOALS, seen), ""])


if __name__ == "__main__":
    print(large_log())
