"""Which small files are read without Spark: those that Arrow reads as Spark does."""

from datetime import date, datetime, timezone
from decimal import Decimal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap64

from puredelta.log.actions import AddFile, Format, Metadata
from puredelta.log.files import files_table
from puredelta.log.table_log import TableLog
from puredelta.maintenance.small_files import read_small_files
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    BINARY,
    DATE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.storage.memory import MemoryStore
from puredelta.table.deletion_vectors.vectors import inline
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

FILES = 100
INSTANTS = pa.timestamp("us", "UTC")
LATER = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc)


def snapshot(columns, partitions=(), **configuration):
    """Return version 0 of a table with columns of some types."""
    schema = StructType(tuple(StructField(name, kind) for name, kind in columns.items()))
    protocol, stored = protocol_for_new_table(configuration, schema)
    log = TableLog(MemoryStore(url="memory:///t"))
    metadata = Metadata(
        id="11111111-1111-1111-1111-111111111111",
        format=Format(),
        schema_string=schema_to_json(schema),
        partition_columns=list(partitions),
        configuration=stored,
        created_time=1,
    )
    create = Operation("CREATE TABLE")
    Transaction(log, None).commit([], create, metadata=metadata, protocol=protocol)
    return log.latest()


class Folder:
    """Files of Parquet, and what a log says of each."""

    def __init__(self, path):
        self.path = path
        self.adds = []

    def write(self, rows, **options):
        """Write a file; return what the log says of it."""
        name = f"part {len(self.adds)}.parquet"
        pq.write_table(rows, self.path / name, **options)
        add = AddFile(
            path=name,
            partition_values={},
            size=(self.path / name).stat().st_size,
            modification_time=0,
            data_change=True,
            stats=f'{{"numRecords":{rows.num_rows}}}',
        )
        self.adds.append(add)
        return add

    def fill(self, rows, **options):
        """Write files until there are as many as are read without Spark."""
        while len(self.adds) < FILES:
            self.write(rows, **options)

    def read(self, table):
        return read_small_files(table, files_table(self.adds), self.path.as_uri())


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture
def numbers(folder):
    """As many files of a column of numbers as are read."""
    folder.write(pa.table({"a": pa.array([0, None])}))
    folder.fill(pa.table({"a": pa.array([1])}))
    return folder


def test_rows_are_in_the_order_of_files_with_types_of_the_table(folder):
    columns = {
        "n": INTEGER,
        "s": STRING,
        "b": BINARY,
        "d": DATE,
        "t": TIMESTAMP,
        "z": TIMESTAMP_NTZ,
        "e": DecimalType(20, 2),
    }
    types = [
        pa.int32(),
        pa.string(),
        pa.binary(),
        pa.date32(),
        INSTANTS,
        pa.timestamp("us"),
        pa.decimal128(20, 2),
    ]
    schema = pa.schema(list(zip(columns, types, strict=True)))
    first = [1, "ä", b"\0", date(1900, 1, 1), LATER, LATER.replace(tzinfo=None), Decimal("1.10")]
    rows = pa.Table.from_pylist([dict(zip(columns, first, strict=True)), {}], schema)
    folder.write(rows)
    folder.fill(rows.slice(1))

    found = folder.read(snapshot(columns))

    assert found.schema.equals(schema, check_metadata=True)
    assert found.slice(0, 2).equals(rows)
    assert found.num_rows == FILES + 1


def test_instants_of_old_files_are_instants(folder):
    instants = pa.table({"t": pa.array([LATER], INSTANTS)})
    folder.write(instants)
    folder.fill(instants, use_deprecated_int96_timestamps=True)

    found = folder.read(snapshot({"t": TIMESTAMP}))

    assert found["t"].to_pylist() == [LATER] * FILES


def test_file_without_rows_adds_none(folder):
    folder.write(pa.table({"a": pa.array([], pa.int64())}))
    folder.fill(pa.table({"a": [1]}))

    assert folder.read(snapshot({"a": LONG}))["a"].to_pylist() == [1] * (FILES - 1)


def test_fewer_files_are_left_to_spark(numbers):
    numbers.adds.pop()

    assert numbers.read(snapshot({"a": LONG})) is None


@pytest.mark.parametrize(
    "rows",
    [
        pa.table({"a": pa.array([1], pa.int32())}),
        pa.table({"b": [1]}),
        pa.table({"a": [1], "b": [1]}),
        pa.table({"a": ["1"]}),
    ],
    ids=["narrower type", "missing column", "further column", "other type"],
)
def test_file_with_other_columns_is_left_to_spark(numbers, rows):
    numbers.adds.pop()
    numbers.write(rows)

    assert numbers.read(snapshot({"a": LONG})) is None


@pytest.mark.parametrize(
    "note",
    [
        {"org.apache.spark.version": "2.4.8"},
        {"org.apache.spark.version": "3.0.3"},
        {"org.apache.spark.version": "3.5.0", "org.apache.spark.legacyDateTime": ""},
        {"org.apache.spark.version": "3.5.0", "org.apache.spark.legacyINT96": ""},
    ],
)
def test_file_with_times_of_the_old_calendar_is_left_to_spark(folder, note):
    days = pa.table({"d": pa.array([date(1500, 1, 1)])})
    folder.write(days.replace_schema_metadata(note))
    folder.fill(days.replace_schema_metadata({"org.apache.spark.version": "4.3.0"}))

    assert folder.read(snapshot({"d": DATE})) is None


def test_file_that_is_gone_is_left_to_spark(numbers):
    (numbers.path / numbers.adds[7].path).unlink()

    assert numbers.read(snapshot({"a": LONG})) is None


def test_files_with_deleted_rows_are_left_to_spark(numbers):
    vector = inline(BitMap64([0]))
    numbers.adds[7] = msgspec.structs.replace(numbers.adds[7], deletion_vector=vector)

    assert numbers.read(snapshot({"a": LONG})) is None


@pytest.mark.parametrize(
    "change", [{"stats": None}, {"size": 20 << 20}, {"stats": '{"numRecords":600000}'}]
)
def test_files_of_unknown_or_large_size_are_left_to_spark(numbers, change):
    numbers.adds[7] = msgspec.structs.replace(numbers.adds[7], **change)

    assert numbers.read(snapshot({"a": LONG})) is None


def test_files_of_another_machine_are_left_to_spark(numbers):
    files = files_table(numbers.adds)

    assert read_small_files(snapshot({"a": LONG}), files, "s3://bucket/t") is None


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"a": LONG, "p": STRING}, {"partitions": ("p",)}),
        ({"a": ArrayType(LONG)}, {}),
        ({"a": LONG}, {"delta.enableRowTracking": "true"}),
        ({"a": LONG}, {"delta.enableTypeWidening": "true"}),
        ({"a": LONG}, {"delta.columnMapping.mode": "name"}),
    ],
    ids=["partitions", "nested", "row ids", "widened", "mapped"],
)
def test_table_whose_files_differ_from_it_is_left_to_spark(numbers, columns, options):
    assert numbers.read(snapshot(columns, **options)) is None
