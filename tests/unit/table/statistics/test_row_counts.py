"""How many rows files have, where the log says so and where it does not."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.errors import DeltaRuntimeError
from puredelta.log.actions import AddFile, DeletionVector
from puredelta.storage.memory import MemoryStore
from puredelta.table.statistics.row_counts import live_rows, row_counts

VECTOR = DeletionVector(storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=2)


def a_file(path="a.parquet", size=1, stats=None, vector=None):
    return AddFile(
        path=path,
        partition_values={},
        size=size,
        modification_time=1,
        data_change=True,
        stats=stats,
        deletion_vector=vector,
    )


def parquet(rows, columns=1):
    sink = io.BytesIO()
    pq.write_table(pa.table({f"c{n}": range(rows) for n in range(columns)}), sink)
    return sink.getvalue()


def test_statistics_are_believed_and_nothing_is_read():
    assert row_counts([a_file(stats='{"numRecords":5}')], MemoryStore()) == [5]


@pytest.mark.parametrize("columns", [1, 900], ids=["short footer", "long footer"])
def test_footer_tells_where_statistics_do_not(columns):
    store = MemoryStore()
    data = parquet(3, columns)
    store.put("p=a b/x.parquet", data)

    assert row_counts([a_file("p=a%20b/x.parquet", len(data))], store) == [3]


def test_file_outside_of_the_table_is_found():
    outside = MemoryStore("memory:///elsewhere")
    data = parquet(2)
    outside.put("x.parquet", data)
    file = a_file("memory:///elsewhere/x.parquet", len(data))

    assert row_counts([file], MemoryStore("memory:///t"), lambda _url: outside) == [2]


def test_what_is_no_parquet_is_told_by_its_path():
    store = MemoryStore("memory:///t")
    store.put("x.parquet", b"no parquet at all")

    with pytest.raises(DeltaRuntimeError, match=r"t/x\.parquet") as caught:
        row_counts([a_file("x.parquet", 17)], store)

    assert caught.value.condition == "DELTA_FAILED_READ_FILE_FOOTER"


@pytest.mark.parametrize(
    ("stats", "vector", "expected"),
    [('{"numRecords":5}', None, 5), ('{"numRecords":5}', VECTOR, 3), (None, None, None)],
)
def test_live_rows_are_those_that_no_vector_hides(stats, vector, expected):
    assert live_rows(a_file(stats=stats, vector=vector)) == expected
