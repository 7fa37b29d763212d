"""The table that the page of the command line shows: its files have names that stay the same."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import DOUBLE, INTEGER, LONG, STRING, StructField, StructType

_BEFORE = StructType(
    (StructField("id", LONG), StructField("delay", DOUBLE), StructField("month", INTEGER))
)
_AFTER = StructType((*_BEFORE, StructField("note", STRING)))
_BEGAN = 1_777_626_000
_MINUTE = 60


def write_orders(folder: Path) -> None:
    """Write a table of four versions, the last of which deletes a row.

    Args:
        folder: Where; it must not exist.
    """
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    march = _add(folder, "month=3/part-0.parquet", 3, [1, 2, 3], [4.5, None, 30.0])
    _commit(log, 0, "CREATE TABLE AS SELECT", protocol, _metadata(_BEFORE), march)
    april = _add(folder, "month=4/part-1.parquet", 4, [4, 5, 6, 7], [16.0, 2.5, 0.0, 21.0])
    _commit(log, 1, "WRITE", april)
    may = _add(folder, "month=5/part-2.parquet", 5, [8, 9], [18.25, 1.0], ["late", None])
    _commit(log, 2, "WRITE", _metadata(_AFTER, **{"delta.appendOnly": "false"}), may)
    less = _add(folder, "month=3/part-3.parquet", 3, [1, 3], [4.5, 30.0])
    gone = {"path": march["add"]["path"], "deletionTimestamp": (_BEGAN + 3 * _MINUTE) * 1000}
    known = {"partitionValues": {"month": "3"}, "size": march["add"]["size"]}
    remove = {"remove": {**gone, **known, "dataChange": True, "extendedFileMetadata": True}}
    _commit(log, 3, "DELETE", remove, less)


def _commit(log: Path, version: int, operation: str, *actions: dict) -> None:
    moment = _BEGAN + version * _MINUTE
    info = {"timestamp": moment * 1000, "operation": operation, "engineInfo": "PureDelta/0.1.0"}
    lines = [{"commitInfo": info}, *actions]
    file = log / f"{version:020}.json"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    os.utime(file, (moment, moment))


def _metadata(schema: StructType, **configuration: str) -> dict:
    facts = {"id": "5a7c2f10-0000-0000-0000-000000000000", "format": {"provider": "parquet"}}
    stored = {"schemaString": schema_to_json(schema), "partitionColumns": ["month"]}
    return {"metaData": {**facts, **stored, "configuration": configuration}}


def _add(
    folder: Path,
    name: str,
    month: int,
    ids: list[int],
    delays: list[float | None],
    notes: list[str | None] | None = None,
) -> dict:
    rows = pa.table({"id": ids, "delay": delays} | ({"note": notes} if notes else {}))
    (folder / name).parent.mkdir(exist_ok=True)
    pq.write_table(rows, folder / name)
    stats = {"numRecords": len(ids), "minValues": {"id": min(ids)}, "maxValues": {"id": max(ids)}}
    facts = {"path": name, "partitionValues": {"month": str(month)}, "dataChange": True}
    size = (folder / name).stat().st_size
    times = {"size": size, "modificationTime": _BEGAN * 1000, "stats": json.dumps(stats)}
    return {"add": {**facts, **times}}
