"""From our types to Arrow's."""

import pyarrow as pa
import pytest

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.schema.arrow import to_arrow, type_to_arrow
from puredelta.schema.datatypes import (
    LONG,
    PRIMITIVES,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
)


def test_every_primitive_has_a_counterpart():
    for primitive in PRIMITIVES.values():
        assert isinstance(type_to_arrow(primitive), pa.DataType)


def test_times_differ_by_their_zone():
    assert type_to_arrow(TIMESTAMP) == pa.timestamp("us", "UTC")
    assert type_to_arrow(TIMESTAMP_NTZ) == pa.timestamp("us")


def test_nested_types_keep_nullability():
    inner = StructType((StructField("x", DecimalType(9, 2), nullable=False),))
    schema = StructType(
        (
            StructField("a", ArrayType(inner, contains_null=False)),
            StructField("m", MapType(STRING, LONG), nullable=False),
            StructField("u", UserDefinedType("{}", LONG)),
        )
    )

    found = to_arrow(schema)

    assert found.field("a").type.value_field == pa.field(
        "element",
        pa.struct([pa.field("x", pa.decimal128(9, 2), nullable=False)]),
        nullable=False,
    )
    assert found.field("m") == pa.field("m", pa.map_(pa.string(), pa.int64()), nullable=False)
    assert found.field("u").type == pa.int64()


def test_unknown_type_is_refused_by_name():
    with pytest.raises(DeltaUnsupportedOperationError, match=r"geometry\(4326\)"):
        to_arrow(StructType((StructField("g", ArrayType(UnknownType("geometry(4326)"))),)))


@pytest.mark.parametrize(("precision", "scale"), [(39, 0), (0, 0), (10, -5), (5, 10)])
def test_decimal_that_spark_does_not_have_is_refused(precision, scale):
    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        type_to_arrow(DecimalType(precision, scale))
    assert caught.value.condition == "DELTA_NO_ARROW_TYPE"
