"""The partitions of Iceberg tables: values, and what a Delta table cannot have."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    TruncateTransform,
)

from puredelta.conversion.request import ConvertRequest
from puredelta.errors import (
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
)
from puredelta.schema.datatypes import LONG, StructField, StructType
from tests.iceberg_tables import (
    PEOPLE,
    IcebergTables,
    adds,
    convert,
    identity,
    stats,
)


@pytest.fixture
def iceberg(tmp_path):
    tables = IcebergTables(tmp_path / "w")
    yield tables
    tables.close()


def test_identity_partitions_are_those_of_the_manifests_not_of_the_paths(iceberg):
    rows = pa.table(
        {
            "day": [dt.date(2024, 2, 29), None],
            "at": pa.array(["2024-01-02T03:04:05.678901"] * 2).cast(pa.timestamp("us")),
            "amount": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
            "name": ["a/b=c%20 ä", None],
            "flag": [True, None],
            "value": pa.array([1, 2], pa.int64()),
        }
    )
    names = ["day", "at", "amount", "name", "flag"]
    iceberg.filled("t", rows, partitions=[identity(name) for name in names])

    report = convert(iceberg.path("t"))

    values = sorted((one["partitionValues"] for one in adds(iceberg.path("t"))), key=str)
    assert report.partition_columns == tuple(names)
    assert values == [
        {
            "day": "2024-02-29",
            "at": "2024-01-02 03:04:05.678901",
            "amount": "1.50",
            "name": "a/b=c%20 ä",
            "flag": "true",
        },
        {**dict.fromkeys(names), "at": "2024-01-02 03:04:05.678901"},
    ]


def test_renamed_partition_column_has_its_first_name_in_the_log(iceberg):
    table = iceberg.filled("t", PEOPLE, partitions=[identity("name")])
    with table.update_schema() as change:
        change.rename_column("name", "label")

    report = convert(iceberg.path("t"))

    assert report.partition_columns == ("label",)
    assert {tuple(one["partitionValues"]) for one in adds(iceberg.path("t"))} == {("name",)}


def test_partition_values_from_paths_are_not_to_be_had_which_is_told(iceberg, caplog):
    iceberg.filled("t", PEOPLE, partitions=[identity("name")])

    convert(iceberg.path("t"), iceberg_native_partitions=False)

    (told,) = [one.getMessage() for one in caplog.records]
    assert "convert.iceberg.useNativePartitionValues = false has no effect" in told
    values = [one["partitionValues"]["name"] for one in adds(iceberg.path("t"))]
    assert sorted(values, key=str) == [None, "ann"]


TRANSFORMS = [
    (BucketTransform(4), "bucket[4]"),
    (TruncateTransform(2), "truncate[2]"),
]


@pytest.mark.parametrize(("transform", "shown"), TRANSFORMS, ids=[one for _, one in TRANSFORMS])
def test_other_transforms_are_refused_unless_they_may_be_left_out(iceberg, transform, shown):
    iceberg.filled("t", PEOPLE, partitions=[("name", transform, "part"), identity("id")])

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))
    report = convert(iceberg.path("t"), iceberg_transforms_left_out=True)

    assert caught.value.condition == "DELTA_ICEBERG_PARTITION_TRANSFORM"
    assert caught.value.parameters == {"partition": "part", "transform": shown, "column": "name"}
    assert report.partition_columns == ("id",)


def test_buckets_are_left_out_where_the_table_says_so(iceberg):
    iceberg.filled(
        "t",
        PEOPLE,
        partitions=[("id", BucketTransform(4), "part")],
        properties={"delta.ignoreIcebergBucketPartition": "true"},
    )

    assert convert(iceberg.path("t")).partition_columns == ()


def test_table_by_days_converts_without_them(iceberg):
    rows = pa.table({"at": pa.array(["2024-01-02"]).cast(pa.timestamp("us"))})
    iceberg.filled("t", rows, partitions=[("at", DayTransform(), "day")])

    report = convert(iceberg.path("t"), iceberg_transforms_left_out=True)

    assert report.partition_columns == ()
    assert stats(iceberg.path("t"))[0]["minValues"] == {"at": "2024-01-02T00:00:00.000"}


def test_files_partitioned_in_several_ways_need_a_setting_and_share_what_they_have(iceberg):
    rows = PEOPLE.append_column("p", pa.array(["x", "y"]))
    table = iceberg.filled("t", rows, partitions=[identity("p")])
    with table.update_spec() as change:
        change.add_identity("id")
    table.append(rows)

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))
    report = convert(iceberg.path("t"), iceberg_evolution=True)

    assert caught.value.condition == "DELTA_ICEBERG_PARTITION_EVOLUTION"
    assert caught.value.parameters == {
        "partitionings": "identity(p_part) | identity(p_part), identity(id)"
    }
    assert report.partition_columns == ("p",)


def test_partitioning_that_no_file_has_any_more_does_not_count(iceberg):
    table = iceberg.filled("t", PEOPLE, partitions=[("id", BucketTransform(2), "part")])
    with table.update_spec() as change:
        change.remove_field("part")
        change.add_identity("name")
    table.overwrite(PEOPLE)

    assert convert(iceberg.path("t")).partition_columns == ("name",)


def test_empty_text_as_partition_value_is_told_with_its_file(iceberg):
    rows = pa.table({"id": pa.array([1, 2], pa.int64()), "p": ["", "x"]})
    iceberg.filled("t", rows, partitions=[identity("p")])

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))
    report = convert(iceberg.path("t"), request=ConvertRequest(on_bad_file="skip"))

    assert caught.value.condition == "DELTA_ICEBERG_EMPTY_PARTITION_VALUE"
    assert (report.files, report.skipped_count) == (1, 1)


def test_partition_clause_is_refused(iceberg):
    iceberg.filled("t", PEOPLE)
    asked = ConvertRequest(partition_schema=StructType((StructField("id", LONG),)))

    with pytest.raises(DeltaIllegalArgumentError) as caught:
        convert(iceberg.path("t"), request=asked)

    assert caught.value.condition == "DELTA_PARTITION_SCHEMA_IN_ICEBERG_TABLES"
