"""Iceberg tables become Delta tables: columns by their ids, partitions, statistics, deletions."""

import datetime as dt
import json
import math
from decimal import Decimal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    IdentityTransform,
    TruncateTransform,
)
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.iceberg.target_table import NAME_MAPPING
from puredelta.conversion.request import ConvertRequest, Surroundings
from puredelta.conversion.targets import ICEBERG, ConvertTarget
from puredelta.errors import (
    DeltaAnalysisError,
    DeltaFileNotFoundError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import DeletionVector
from puredelta.log.refresh import open_log
from puredelta.schema.datatypes import LONG, StructField, StructType, simple_string
from puredelta.storage.local import LocalStore
from puredelta.table.column_mapping import ID_KEY
from puredelta.table.deletion_vectors import read_vector
from puredelta.table.protocol import schema_of
from tests.iceberg_tables import IcebergTables, golden_table


@pytest.fixture
def iceberg(tmp_path):
    tables = IcebergTables(tmp_path / "w")
    yield tables
    tables.close()


def convert(path, *, request=None, **around):
    return ConvertToDeltaCommandBase(
        target=ConvertTarget(provider=ICEBERG, location=str(path), label=f"iceberg.`{path}`"),
        request=request or ConvertRequest(),
        surroundings=Surroundings(**around),
    ).run()


def snapshot(path):
    return open_log(f"file://{path}").latest()


def schema(path):
    return schema_of(snapshot(path).metadata)


def adds(path):
    lines = (path / "_delta_log" / f"{0:020}.json").read_text().splitlines()
    found = [json.loads(line)["add"] for line in lines if '"add"' in line[:8]]
    return sorted(found, key=lambda one: one["path"])


def stats(path):
    return [json.loads(one["stats"]) for one in adds(path)]


def identity(name):
    return name, IdentityTransform(), f"{name}_part"


PEOPLE = pa.table({"id": pa.array([1, 2], pa.int64()), "name": ["ann", None]})


# --- columns


def test_each_type_becomes_the_type_that_spark_reads_it_as(iceberg):
    fields = [
        ("b", BooleanType(), "boolean"),
        ("i", IntegerType(), "int"),
        ("l", LongType(), "bigint"),
        ("d", DoubleType(), "double"),
        ("dec", DecimalType(12, 3), "decimal(12,3)"),
        ("day", DateType(), "date"),
        ("ntz", TimestampType(), "timestamp_ntz"),
        ("at", TimestamptzType(), "timestamp"),
        ("s", StringType(), "string"),
        ("f", FixedType(3), "binary"),
    ]
    columns = [NestedField(n, name, kind) for n, (name, kind, _) in enumerate(fields, 1)]
    table = iceberg.create("t", Schema(*columns))
    table.append(pa.Table.from_pylist([{}], schema=table.schema().as_arrow()))

    convert(iceberg.path("t"))

    found = [(field.name, simple_string(field.data_type)) for field in schema(iceberg.path("t"))]
    assert found == [(name, expected) for name, _, expected in fields]


def test_columns_keep_their_ids_and_the_first_names_they_had(iceberg):
    table = iceberg.filled("t", PEOPLE)
    with table.update_schema() as change:
        change.rename_column("name", "label")
        change.add_column("more", LongType())

    convert(iceberg.path("t"))

    columns = {field.name: field.metadata for field in schema(iceberg.path("t"))}
    assert [one["delta.columnMapping.id"] for one in columns.values()] == [1, 2, 3]
    assert columns["label"]["delta.columnMapping.physicalName"] == "name"


def test_column_that_comes_back_under_the_name_of_a_dropped_one_is_another_column(iceberg):
    table = iceberg.filled("t", PEOPLE)
    with table.update_schema() as change:
        change.delete_column("name")
    with table.update_schema() as change:
        change.add_column("name", LongType())

    convert(iceberg.path("t"))

    metadata = schema(iceberg.path("t")).field("name").metadata
    assert metadata["delta.columnMapping.id"] == 3
    assert metadata["delta.columnMapping.physicalName"].startswith("col-")


def test_id_of_a_dropped_column_is_not_given_again(iceberg):
    table = iceberg.filled("t", PEOPLE)
    with table.update_schema() as change:
        change.delete_column("name")

    convert(iceberg.path("t"))

    configuration = snapshot(iceberg.path("t")).metadata.configuration
    assert configuration["delta.columnMapping.mode"] == "id"
    assert configuration["delta.columnMapping.maxColumnId"] == "2"


def test_nested_columns_keep_their_ids_and_comments(iceberg):
    rows = pa.table({"s": [{"a": 1, "b": [{"c": "x"}]}]})
    table = iceberg.filled("t", rows)
    with table.update_schema() as change:
        change.rename_column(("s", "b", "element", "c"), "d")
        change.update_column("s", doc="outer")

    convert(iceberg.path("t"))

    outer = schema(iceberg.path("t")).field("s")
    inner = outer.data_type.field("b").data_type.element_type.field("d")
    known = {one.field_id for one in table.schema()._lazy_id_to_field.values()}
    assert outer.metadata["comment"] == "outer"
    assert inner.metadata[ID_KEY] in known
    assert inner.metadata["delta.columnMapping.physicalName"] == "c"


def test_required_columns_refuse_nulls_but_not_inside_lists(iceberg):
    inner = pa.struct([pa.field("x", pa.int64(), nullable=False)])
    rows = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("l", pa.list_(inner))])
    table = iceberg.create("t", rows)
    table.append(pa.Table.from_pylist([{"id": 1, "l": []}], schema=table.schema().as_arrow()))

    convert(iceberg.path("t"))

    found = schema(iceberg.path("t"))
    assert not found.field("id").nullable
    assert found.field("l").data_type.element_type.field("x").nullable


def test_widened_columns_say_what_they_were(iceberg):
    rows = pa.table(
        {
            "a": pa.array([1], pa.int32()),
            "s": pa.array([{"f": 1.5}], pa.struct([("f", pa.float32())])),
        }
    )
    table = iceberg.filled("t", rows)
    with table.update_schema() as change:
        change.update_column("a", LongType())
        change.update_column(("s", "f"), DoubleType())

    convert(iceberg.path("t"))

    found, protocol = schema(iceberg.path("t")), snapshot(iceberg.path("t")).protocol
    changes = [{"toType": "long", "fromType": "integer"}]
    assert found.field("a").metadata["delta.typeChanges"] == changes
    inner = found.field("s").data_type.field("f")
    assert inner.metadata["delta.typeChanges"] == [{"toType": "double", "fromType": "float"}]
    assert "typeWidening" in protocol.reader_features


@pytest.mark.parametrize("kind", [UUIDType(), TimeType()], ids=str)
def test_type_that_delta_tables_lack_is_refused_by_name(iceberg, kind):
    iceberg.create("t", Schema(NestedField(1, "odd", kind)))

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_COLUMN_TYPE"
    assert caught.value.parameters == {"column": "odd", "type": str(kind)}


def test_column_with_an_initial_default_is_refused(iceberg):
    iceberg.create("t", Schema(NestedField(1, "n", LongType(), required=False)))
    (last,) = (iceberg.path("t") / "metadata").glob("*.metadata.json")
    metadata = json.loads(last.read_text())
    metadata |= {"format-version": 3, "next-row-id": 0}
    metadata["schemas"][0]["fields"][0]["initial-default"] = 7
    last.write_text(json.dumps(metadata))

    with pytest.raises(DeltaUnsupportedOperationError, match="initial default 7"):
        convert(iceberg.path("t"))


# --- partitions


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


# --- files


def test_statistics_come_from_the_manifests(iceberg):
    rows = pa.table(
        {
            "n": pa.array([3, None, 1], pa.int64()),
            "text": ["a text that is longer than sixteen characters", "b", None],
            "nan": [1.0, math.nan, 2.0],
            "real": [1.5, 2.5, None],
            "amount": pa.array([Decimal("-1.50"), None, Decimal(2)], pa.decimal128(20, 2)),
            "day": [dt.date(2024, 1, 1), None, dt.date(2024, 1, 3)],
        }
    )
    iceberg.filled("t", rows)
    for file in iceberg.path("t").glob("data/*.parquet"):
        file.write_bytes(b"not looked at")

    convert(iceberg.path("t"))

    (found,) = stats(iceberg.path("t"))
    assert found["numRecords"] == 3
    assert found["minValues"] == {
        "n": 1,
        "text": "a text that is l",
        "nan": 1.0,
        "real": 1.5,
        "amount": -1.5,
        "day": "2024-01-01",
    }
    assert found["maxValues"] == {"n": 3, "text": "b", "amount": 2.0, "day": "2024-01-03"}
    assert found["nullCount"] == {"n": 1, "text": 1, "nan": 0, "real": 1, "amount": 1, "day": 1}


def test_no_statistics_are_made_when_none_are_asked_for(iceberg):
    iceberg.filled("t", PEOPLE)

    convert(iceberg.path("t"), request=ConvertRequest(collect_stats=False))

    assert "stats" not in adds(iceberg.path("t"))[0]


def test_only_files_of_the_current_snapshot_are_taken(iceberg):
    table = iceberg.filled("t", PEOPLE)
    table.overwrite(PEOPLE.slice(0, 1))

    report = convert(iceberg.path("t"))

    assert (report.files, report.rows) == (1, 1)
    assert len(list(iceberg.path("t").glob("data/*.parquet"))) == 2


def test_files_outside_of_the_folder_are_named_by_their_url(iceberg, tmp_path):
    iceberg.filled("t", PEOPLE, properties={"write.data.path": f"file://{tmp_path}/else where"})

    convert(iceberg.path("t"))

    (add,) = adds(iceberg.path("t"))
    assert add["path"].startswith(f"file:///{str(tmp_path).lstrip('/')}/else%20where/")


def test_dry_run_writes_nothing(iceberg):
    iceberg.filled("t", PEOPLE)

    report = convert(iceberg.path("t"), request=ConvertRequest(dry_run=True))

    assert (report.files, report.rows, report.version) == (1, 2, None)
    assert not (iceberg.path("t") / "_delta_log").exists()


# --- files without ids


def test_table_of_files_without_ids_finds_columns_by_their_names(tmp_path):
    path = golden_table("imported", tmp_path)

    report = convert(path)

    configuration = snapshot(path).metadata.configuration
    names = [one.metadata["delta.columnMapping.physicalName"] for one in schema(path)]
    assert configuration["delta.columnMapping.mode"] == "name"
    assert "schema.name-mapping.default" not in configuration
    assert names == ["id", "name", "s", "l", "p", "more"]
    assert (report.files, report.rows) == (3, 5)


def imported(iceberg, tmp_path, table, rows):
    """Let a file without ids into a table."""
    file = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
    pq.write_table(rows, file)
    table.add_files([str(file)])


def test_column_that_is_called_otherwise_in_files_without_ids_is_found_by_their_name(
    iceberg, tmp_path
):
    table = iceberg.create("t", PEOPLE.schema)
    imported(iceberg, tmp_path, table, PEOPLE)
    with table.update_schema() as change:
        change.rename_column("name", "label")

    convert(iceberg.path("t"))

    metadata = schema(iceberg.path("t")).field("label").metadata
    assert metadata["delta.columnMapping.physicalName"] == "name"


def test_files_that_disagree_on_the_names_of_columns_are_told(iceberg, tmp_path):
    table = iceberg.create("t", PEOPLE.schema)
    imported(iceberg, tmp_path, table, PEOPLE)
    with table.update_schema() as change:
        change.rename_column("name", "label")
    table.append(PEOPLE.rename_columns(["id", "label"]))

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_NAMES_IN_FILES"
    assert {caught.value.parameters[one] for one in ("column", "otherColumn")} == {"name", "label"}


def test_files_of_another_writer_with_ids_are_found_by_them(iceberg, tmp_path):
    table = iceberg.create("t", PEOPLE.schema, properties={NAME_MAPPING: "[]"})
    table.append(PEOPLE)

    convert(iceberg.path("t"))

    configuration = snapshot(iceberg.path("t")).metadata.configuration
    assert configuration["delta.columnMapping.mode"] == "id"


# --- rows that are deleted


@pytest.mark.parametrize("name", ["deletes_v2", "deletes_v3"])
def test_deleted_rows_become_deletion_vectors(tmp_path, name):
    path = golden_table(name, tmp_path)

    report = convert(path)

    vectors = [one["deletionVector"] for one in adds(path) if "deletionVector" in one]
    bounds = [one.get("tightBounds") for one in stats(path)]
    assert (report.files, report.rows) == (3, 85)
    assert [one["cardinality"] for one in vectors] == [8, 8]
    assert sorted(bounds, key=str) == [False, False, None]
    assert "deletionVectors" in snapshot(path).protocol.reader_features


def test_deletion_vectors_hold_the_rows_that_iceberg_deleted(tmp_path):
    path = golden_table("deletes_v3", tmp_path)

    convert(path)

    store = LocalStore(str(path))
    vectors = [one["deletionVector"] for one in adds(path) if "deletionVector" in one]
    found = [
        sorted(read_vector(store, store.url, msgspec.convert(one, DeletionVector)))
        for one in vectors
    ]
    every_seventh = [[n // 2 for n in range(100) if n % 2 == p and n % 7 == 0] for p in (0, 1)]
    assert sorted(found) == sorted([every_seventh[0], sorted([*every_seventh[1], 2])])


def test_files_with_deleted_rows_say_how_many_rows_they_have_in_any_case(tmp_path):
    path = golden_table("deletes_v2", tmp_path)

    convert(path, request=ConvertRequest(collect_stats=False))

    told = [json.loads(one["stats"]) for one in adds(path) if "stats" in one]
    assert [one["numRecords"] for one in told] == [50, 50]


def test_dry_run_writes_no_deletion_vectors(tmp_path):
    path = golden_table("deletes_v2", tmp_path)

    report = convert(path, request=ConvertRequest(dry_run=True))

    assert report.rows == 85
    assert not list(path.glob("deletion_vector_*"))


# --- the metadata


def test_table_that_is_no_iceberg_table_is_told(tmp_path):
    with pytest.raises(DeltaFileNotFoundError) as caught:
        convert(tmp_path)

    assert caught.value.condition == "DELTA_ICEBERG_TABLE_NOT_FOUND"


def test_two_files_that_may_be_the_last_one_are_told(iceberg):
    iceberg.filled("t", PEOPLE)
    last = max((iceberg.path("t") / "metadata").glob("*.metadata.json"))
    (last.parent / f"{last.name[:5]}-other.metadata.json").write_bytes(last.read_bytes())

    with pytest.raises(DeltaIllegalStateError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_METADATA_UNREADABLE"
    assert last.name in str(caught.value)


def test_damaged_metadata_is_told_by_its_name(iceberg):
    iceberg.filled("t", PEOPLE)
    last = max((iceberg.path("t") / "metadata").glob("*.metadata.json"))
    last.write_text('{"format-version": 2')

    with pytest.raises(DeltaIllegalStateError, match=last.name):
        convert(iceberg.path("t"))


def test_hint_of_a_table_in_a_folder_may_be_late(tmp_path):
    path = golden_table("columns", tmp_path)
    (path / "metadata" / "version-hint.text").write_text("2")

    assert convert(path).files == 7


def test_copied_table_is_made_of_its_own_files(tmp_path):
    path = golden_table("columns", tmp_path)

    report = convert(path)

    assert report.partition_columns == ("day", "name")
    assert all((path / name).is_file() for name in _local_names(path))


def test_session_may_keep_iceberg_tables_from_being_converted(iceberg):
    iceberg.filled("t", PEOPLE)

    with pytest.raises(DeltaAnalysisError) as caught:
        convert(iceberg.path("t"), iceberg=False)

    assert caught.value.condition == "DELTA_CONVERT_NON_PARQUET_TABLE"


def test_missing_library_is_told_in_one_line(iceberg, monkeypatch):
    iceberg.filled("t", PEOPLE)
    monkeypatch.setitem(__import__("sys").modules, "pyiceberg.manifest", None)
    for name in [one for one in __import__("sys").modules if ".conversion.iceberg." in one]:
        if not name.endswith(".table"):
            monkeypatch.delitem(__import__("sys").modules, name)

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_LIBRARY_MISSING"
    assert "\n" not in str(caught.value)


def _local_names(path):
    from puredelta.storage.location import decode_path

    return [decode_path(one["path"]) for one in adds(path)]
