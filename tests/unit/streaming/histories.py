"""Logs by hand, for tests of streams: files of so many bytes come, go and change."""

import json
import re

import msgspec

from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from puredelta.stream_settings import StreamSettings
from puredelta.streaming.options import stream_options
from puredelta.streaming.table_as_seen import TableAsSeen
from puredelta.streaming.table_stream import TableStream

ID = "the-table"
COLUMNS = [("id", "long")]


def schema(columns=COLUMNS, metadata=None):
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": (metadata or {}).get(name, {})}
        for name, kind in columns
    ]
    return json.dumps({"type": "struct", "fields": fields})


def metadata(columns=COLUMNS, identity=ID, configuration=None, partitions=(), keys=None):
    return {
        "metaData": {
            "id": identity,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema(columns, keys),
            "partitionColumns": list(partitions),
            "configuration": configuration or {},
        }
    }


def add(path, size=10, time=0, data_change=True, **more):
    return {
        "add": {
            "path": path,
            "partitionValues": {},
            "size": size,
            "modificationTime": time,
            "dataChange": data_change,
            **more,
        }
    }


def remove(path, data_change=True):
    return {"remove": {"path": path, "deletionTimestamp": 1, "dataChange": data_change}}


def info(operation, **parameters):
    return {"commitInfo": {"operation": operation, "operationParameters": parameters}}


PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


class History:
    """A table whose commits are written one by one."""

    def __init__(self, *first, **of_table):
        self.store = MemoryStore()
        self.version = -1
        self.commit(PROTOCOL, metadata(**of_table), *first)

    def commit(self, *lines):
        self.version += 1
        text = "".join(json.dumps(line) + "\n" for line in lines or (info("NOTHING"),))
        self.store.put_if_absent(commit_name(self.version), text.encode())
        return self.version

    def drop(self, version):
        self.store.delete([commit_name(version)])

    @property
    def log(self):
        return TableLog(self.store)

    def stream(self, settings=None, start=None, **options):
        log = self.log
        return TableStream(
            table=TableAsSeen(log=log, root="memory:/t", read=log.latest()),
            options=stream_options(
                {key.lower(): value for key, value in options.items()}, compile_pattern
            ),
            settings=settings or StreamSettings(),
            start=lambda: start,
        )


def compile_pattern(text):
    """Return the search for a pattern in Python's syntax."""
    pattern = re.compile(text)
    return lambda paths: {path for path in paths if pattern.search(path)}


def names(parts):
    """Return the names of the files of a batch, in order."""
    return [path for part in parts for path in part.files["path"].to_pylist()]


def short(offset):
    """Return version, index and whether it is in the initial table, of an offset's JSON."""
    found = msgspec.json.decode(offset)
    assert list(found) == [
        "sourceVersion",
        "reservoirId",
        "reservoirVersion",
        "index",
        "isStartingVersion",
    ]
    return found["reservoirVersion"], found["index"], found["isStartingVersion"]
