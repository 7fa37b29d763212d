"""What checkpoints look like follows from the properties, the schema and the features."""

import json

import msgspec
import pyarrow as pa
import pytest

from puredelta.log.actions import Metadata, Protocol
from puredelta.log.files import files_table
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    DATE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
)
from puredelta.table.checkpoint_options import checkpoint_form
from tests.unit.log.logs import METADATA, PROTOCOL, add

FEATURES = Protocol(
    min_reader_version=3,
    min_writer_version=7,
    reader_features=["deletionVectors", "v2Checkpoint"],
    writer_features=["deletionVectors", "v2Checkpoint"],
)


def table(
    columns: dict[str, DataType], partitions: tuple[str, ...] = (), **properties: str
) -> Metadata:
    fields = tuple(StructField(name, kind) for name, kind in columns.items())
    return msgspec.structs.replace(
        METADATA,
        schema_string=schema_to_json(StructType(fields)),
        partition_columns=list(partitions),
        configuration={name.replace("_", "."): value for name, value in properties.items()},
    )


def stats_of(metadata: Metadata, protocol: Protocol = PROTOCOL) -> dict[str, pa.DataType]:
    stats = checkpoint_form(protocol, metadata).stats
    return {member.name: member.type for member in stats}


def test_usual_table_has_a_classic_checkpoint_with_both_kinds_of_statistics():
    form = checkpoint_form(PROTOCOL, table({"a": LONG, "p": STRING}, ("p",)))

    assert (form.is_v2, form.stats_as_json) == (False, True)
    assert form.stats is not None
    assert form.partitions is not None


@pytest.mark.parametrize(("protocol", "is_v2"), [(FEATURES, True), (PROTOCOL, False)])
def test_v2_is_written_when_asked_for_and_supported(protocol, is_v2):
    metadata = table({"a": LONG}, delta_checkpointPolicy="v2")

    assert checkpoint_form(protocol, metadata).is_v2 is is_v2


def test_statistics_are_written_as_the_properties_say():
    metadata = table({"a": LONG, "p": STRING}, ("p",))
    metadata.configuration["delta.checkpoint.writeStatsAsJson"] = "false"
    metadata.configuration["delta.checkpoint.writeStatsAsStruct"] = "false"

    form = checkpoint_form(PROTOCOL, metadata)

    assert (form.stats_as_json, form.stats, form.partitions) == (False, None, None)


def test_bounds_and_counts_have_the_types_of_the_columns():
    struct = StructType((StructField("x", INTEGER), StructField("l", ArrayType(LONG))))
    columns = {
        "a": LONG,
        "d": DecimalType(20, 3),
        "t": TIMESTAMP,
        "day": DATE,
        "flag": BOOLEAN,
        "raw": BINARY,
        "s": struct,
        "m": MapType(STRING, LONG),
        "v": VARIANT,
        "nothing": VOID,
        "p": STRING,
    }

    found = stats_of(table(columns, ("p",)))

    bounds = pa.struct(
        [
            ("a", pa.int64()),
            ("d", pa.decimal128(20, 3)),
            ("t", pa.timestamp("us", "UTC")),
            ("day", pa.date32()),
            ("s", pa.struct([("x", pa.int32())])),
        ]
    )
    assert found["numRecords"] == pa.int64()
    assert found["minValues"] == found["maxValues"] == bounds
    assert [member.name for member in found["nullCount"]] == [
        *("a", "d", "t", "day", "flag", "raw", "s", "m", "v")
    ]
    assert found["nullCount"].field("s").type == pa.struct([("x", pa.int64()), ("l", pa.int64())])
    assert "tightBounds" not in found


def test_tables_with_deletion_vectors_have_a_mark_for_exact_bounds():
    assert list(stats_of(table({"a": LONG}), FEATURES))[-1] == "tightBounds"


def test_table_without_bounds_has_no_empty_structs():
    assert list(stats_of(table({"flag": BOOLEAN}))) == ["numRecords", "nullCount"]
    assert list(stats_of(table({"p": LONG}, ("p",)))) == ["numRecords"]


def test_types_that_nobody_knows_have_no_statistics():
    assert list(stats_of(table({"g": UnknownType("geometry")}))) == ["numRecords"]


def test_types_of_users_have_counts_only():
    known = {
        "class": "org.apache.spark.ml.linalg.VectorUDT",
        "pyClass": "pyspark.ml.linalg.VectorUDT",
    }
    plain = {"type": "udt", **known, "sqlType": "double"}
    fields = [{"name": "u", "type": plain, "nullable": True, "metadata": {}}]
    schema = json.dumps({"type": "struct", "fields": fields})

    found = stats_of(msgspec.structs.replace(table({}), schema_string=schema))

    assert list(found) == ["numRecords", "nullCount"]


def test_partition_column_of_a_type_that_nobody_knows_is_not_typed():
    assert typed(UnknownType("interval"), None) is None


def test_indexed_columns_are_those_of_the_properties():
    metadata = table({"a": LONG, "b": LONG}, delta_dataSkippingNumIndexedCols="1")

    assert stats_of(metadata)["minValues"] == pa.struct([("a", pa.int64())])


def test_names_are_physical_ones_under_column_mapping():
    def mapped(name: str, kind: DataType) -> StructField:
        return StructField(name, kind, True, {"delta.columnMapping.physicalName": f"col-{name}"})

    schema = StructType((mapped("s", StructType((mapped("x", LONG),))), mapped("p", LONG)))
    metadata = msgspec.structs.replace(
        table({}, ("p",), delta_columnMapping_mode="name"), schema_string=schema_to_json(schema)
    )

    form = checkpoint_form(PROTOCOL, metadata)
    partitions = form.partitions(files_table([add("f", partition_values={"col-p": "7"})]))

    assert form.stats.field("minValues").type == pa.struct(
        [("col-s", pa.struct([("col-x", pa.int64())]))]
    )
    assert partitions.to_pylist() == [{"col-p": 7}]


def typed(kind: DataType, *texts: str | None) -> list | None:
    form = checkpoint_form(PROTOCOL, table({"a": LONG, "p": kind}, ("p",)))
    rows = form.partitions(
        files_table([add(f"f{n}", partition_values={"p": text}) for n, text in enumerate(texts)])
    )
    return None if rows is None else rows["p"].to_pylist()


def test_partition_values_are_typed():
    assert typed(INTEGER, "7", None, "") == [7, None, None]
    assert [moment.isoformat() for moment in typed(TIMESTAMP, "2024-01-02T03:04:05.100000Z")] == [
        "2024-01-02T03:04:05.100000+00:00"
    ]


@pytest.mark.parametrize(
    ("kind", "texts"), [(INTEGER, ("7", "x")), (TIMESTAMP, ("2024-01-02 03:04:05",))]
)
def test_partition_values_that_are_in_doubt_are_not_written(kind, texts):
    assert typed(kind, *texts) is None
