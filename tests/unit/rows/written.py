"""What tests of writes without Spark share: tables, rows of each type, and looks at the outcome."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from puredelta.errors import (
    DeltaError,
)
from puredelta.log.table_log import open_log
from puredelta.rows.open_table import open_table
from puredelta.schema.datatypes import (
    StructType,
)
from puredelta.table.new_table import NewTableRules, first_version
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

EVERY_TYPE = pa.table(
    {
        "b": pa.array([True, None]),
        "i1": pa.array([1, None], pa.int8()),
        "i2": pa.array([2, None], pa.int16()),
        "i4": pa.array([3, None], pa.int32()),
        "i8": pa.array([4, None], pa.int64()),
        "f": pa.array([0.5, None], pa.float32()),
        "d": pa.array([0.1, None]),
        "s": pa.array(["x", None]),
        "x": pa.array([b"\x00\xff", None]),
        "day": pa.array([dt.date(1, 1, 1), None]),
        "at": pa.array([dt.datetime(1500, 1, 1, 1, 2, 3, 4, dt.timezone.utc), None]),
        "wall": pa.array([1_767_323_045_000_006, None], pa.timestamp("us")),
        "n": pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)),
        "wide": pa.array([Decimal("1234567890123456789.01"), None], pa.decimal128(38, 2)),
        "l": pa.array([[1, None], None], pa.list_(pa.field("element", pa.int32()))),
        "t": pa.array([{"a": 1, "b": None}, None], pa.struct({"a": pa.int32(), "b": pa.string()})),
        "m": pa.array([[("k", 1), ("z", None)], None], pa.map_(pa.string(), pa.int32())),
    }
)


def create(path: Path, schema: StructType, properties=None, partition_by=(), **more) -> str:
    """Make a table without rows."""
    metadata, protocol = first_version(
        NewTableRules(defaults={}), schema, partition_by, properties, **more
    )
    operation = Operation("CREATE TABLE")
    Transaction(open_log(str(path)), None).commit(
        [], operation, metadata=metadata, protocol=protocol
    )
    return str(path)


def rows_of(path, columns=None):
    return open_table(path).to_arrow(columns).to_pylist()


def data_files(path) -> list[Path]:
    return sorted(Path(path).rglob("*.parquet"))


def condition(write, *arguments, **options) -> str:
    with pytest.raises(DeltaError) as caught:
        write(*arguments, **options)
    return caught.value.getCondition()
