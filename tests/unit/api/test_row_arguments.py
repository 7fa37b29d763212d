"""Rows of Arrow become such as Spark knows."""

import pyarrow as pa
import pytest

from puredelta.api.row_arguments import rows_from_argument, spark_schema


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        (pa.uint8(), pa.int16()),
        (pa.uint64(), pa.decimal128(20, 0)),
        (pa.string_view(), pa.string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.list_(pa.uint16()), pa.list_(pa.int32())),
        (pa.large_list(pa.string_view()), pa.list_(pa.string())),
        (pa.map_(pa.string(), pa.float16()), pa.map_(pa.string(), pa.float32())),
        (pa.struct([("a", pa.uint32())]), pa.struct([("a", pa.int64())])),
        (pa.timestamp("us", "UTC"), pa.timestamp("us", "UTC")),
    ],
)
def test_types_that_spark_does_not_know_are_widened(kind, known):
    assert spark_schema(pa.schema([("c", kind)])) == pa.schema([("c", known)])


@pytest.mark.parametrize("given", [[1, 2], "rows", {"id": [1]}, None, 5])
def test_what_is_no_frame_is_refused_with_its_type(given):
    with pytest.raises(TypeError, match=r"df must be DataFrame.*not <class"):
        rows_from_argument(None, given, "df")
