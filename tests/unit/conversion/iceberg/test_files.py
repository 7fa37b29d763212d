"""The files of Iceberg tables: statistics, deleted rows, and the metadata that names them."""

import datetime as dt
import gzip
import json
import math
import struct
import sys
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import msgspec
import pyarrow as pa
import pytest
from pyiceberg.manifest import FileFormat
from pyroaring import BitMap64

from puredelta.conversion.iceberg.current_metadata import current_metadata
from puredelta.conversion.iceberg.delete_files import delete_files
from puredelta.conversion.iceberg.deleted_rows import DeletedRows, read_deleted_rows
from puredelta.conversion.iceberg.locations import Locations, StoreFiles
from puredelta.conversion.iceberg.manifests import read_manifests
from puredelta.conversion.iceberg.statistics import Metrics, bound
from puredelta.conversion.request import ConvertRequest
from puredelta.errors import (
    DeltaAnalysisError,
    DeltaFileNotFoundError,
    DeltaIllegalStateError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import DeletionVector
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.storage.local import LocalStore
from puredelta.storage.location import decode_path
from puredelta.table.columns.column_mapping import ID_KEY, PHYSICAL_NAME_KEY
from puredelta.table.deletion_vectors.vectors import read_vector
from puredelta.table.statistics.indexed_columns import Indexing
from tests.iceberg_tables import (
    PEOPLE,
    IcebergTables,
    adds,
    convert,
    golden_table,
    identity,
    schema,
    snapshot,
    stats,
)


@pytest.fixture
def iceberg(tmp_path):
    tables = IcebergTables(tmp_path / "w")
    yield tables
    tables.close()


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


DAY = dt.date(2024, 5, 1).toordinal() - dt.date(1970, 1, 1).toordinal()


@pytest.mark.parametrize(
    ("data_type", "raw", "found"),
    [
        (TIMESTAMP_NTZ, struct.pack("<i", DAY), DAY * 86_400_000_000),
        (TIMESTAMP_NTZ, struct.pack("<q", 5), 5),
        (TIMESTAMP, struct.pack("<i", DAY), None),
        (TIMESTAMP, struct.pack("<q", -5), -5),
        (LONG, struct.pack("<i", -7), -7),
        (LONG, struct.pack("<q", 2**40), 2**40),
        (LONG, b"\x01\x02", None),
        (INTEGER, struct.pack("<i", 7), 7),
        (INTEGER, struct.pack("<q", 7), None),
        (DATE, struct.pack("<q", 7), None),
        (DOUBLE, struct.pack("<f", 1.5), 1.5),
        (FLOAT, struct.pack("<d", 1.5), None),
        (DecimalType(20, 2), b"\xff", -1),
    ],
)
def test_bounds_of_another_width_than_the_type_are_those_of_the_type_before_or_unknown(
    data_type, raw, found
):
    assert bound(raw, data_type) == found


@pytest.mark.parametrize(
    ("nans", "greatest"),
    [({1: 0, 2: 0}, {"real": 2.5, "n": 7}), ({1: 1}, {"n": 7}), ({}, {"n": 7}), (None, {"n": 7})],
    ids=["none", "some", "not counted for the column", "not counted"],
)
def test_greatest_number_is_known_where_no_row_is_nan(nans, greatest):
    columns = StructType(
        (
            StructField("real", DOUBLE, metadata={ID_KEY: 1, PHYSICAL_NAME_KEY: "real"}),
            StructField("n", LONG, metadata={ID_KEY: 2, PHYSICAL_NAME_KEY: "n"}),
        )
    )
    bounds = {1: struct.pack("<d", 2.5), 2: struct.pack("<q", 7)}
    file = SimpleNamespace(
        record_count=3,
        null_value_counts={1: 0, 2: 0},
        nan_value_counts=nans,
        lower_bounds=bounds,
        upper_bounds=bounds,
    )

    found = json.loads(Metrics(columns, columns, Indexing()).stats(file))

    assert found["minValues"] == {"real": 2.5, "n": 7}
    assert found["maxValues"] == greatest


def test_no_statistics_are_made_when_none_are_asked_for(iceberg):
    iceberg.filled("t", PEOPLE)

    convert(iceberg.path("t"), request=ConvertRequest(collect_stats=False))

    assert "stats" not in adds(iceberg.path("t"))[0]


def test_table_of_the_first_format_version_converts(iceberg):
    properties = {"format-version": "1"}
    table = iceberg.filled("t", PEOPLE, partitions=[identity("name")], properties=properties)
    with table.update_spec() as change:
        change.remove_field("name_part")
    table.overwrite(PEOPLE)

    report = convert(iceberg.path("t"))

    assert (report.files, report.rows, report.partition_columns) == (1, 2, ())


def test_table_without_rows_becomes_a_table_without_rows(iceberg):
    iceberg.create("t", PEOPLE.schema)

    report = convert(iceberg.path("t"))

    assert (report.version, report.files, report.rows) == (0, 0, 0)
    assert simple_string(schema(iceberg.path("t"))) == "struct<id:bigint,name:string>"


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


# --- rows that are deleted


@pytest.mark.parametrize(("sequence", "deleted"), [(2, [5, 7]), (3, [5, 7]), (4, [7]), (5, None)])
def test_commit_deletes_rows_of_files_that_are_as_old_as_itself(sequence, deleted):
    rows = DeletedRows({"f": [(3, BitMap64([5])), (4, BitMap64([7]))]})

    found = rows.of("f", sequence)

    assert (None if found is None else sorted(found)) == deleted


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


def test_rows_deleted_by_their_values_are_refused_by_name(tmp_path):
    path = golden_table("deletes_v2", tmp_path)
    metadata = current_metadata(LocalStore(str(path)))
    source = StoreFiles(LocalStore(str(path)), Locations(f"file://{path}", metadata.location))
    found = list(delete_files(read_manifests(metadata, source).deletes, source))

    by_value = [replace(one, by_position=False) for one in found]
    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        read_deleted_rows(by_value, source, "t")

    assert caught.value.condition == "DELTA_ICEBERG_DELETE_FILES"
    assert caught.value.parameters["kind"] == "equality deletes"


def test_damaged_delete_file_is_told_by_its_name(tmp_path):
    path = golden_table("deletes_v2", tmp_path)
    for file in path.glob("data/p=0/*-deletes.parquet"):
        file.write_bytes(b"PAR1")

    with pytest.raises(DeltaIllegalStateError, match=r"-deletes\.parquet"):
        convert(path)


def test_file_in_another_format_is_told(iceberg):
    table = iceberg.filled("t", PEOPLE)
    (file,) = [one.file for one in table.scan().plan_files()]
    file[2] = FileFormat.ORC
    with table.transaction() as change, change.update_snapshot().fast_append() as append:
        append.append_data_file(file)

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_FILE_FORMAT"


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


@pytest.mark.parametrize("name", ["{}.gz.metadata.json", "{}.metadata.json.gz"])
def test_compressed_metadata_is_read(iceberg, name):
    iceberg.filled("t", PEOPLE)
    last = max((iceberg.path("t") / "metadata").glob("*.metadata.json"))
    packed = last.parent / name.format(last.name.removesuffix(".metadata.json"))
    packed.write_bytes(gzip.compress(last.read_bytes()))
    last.unlink()

    assert convert(iceberg.path("t")).rows == 2


LOCATIONS = [
    ("file:/t/data/a.parquet", "data/a.parquet"),
    ("/t/data/p=a%2Fb/a.parquet", "data/p=a%2Fb/a.parquet"),
    ("file:///made/here/data/a.parquet", "data/a.parquet"),
    ("file:///t2/a.parquet", "file:///t2/a.parquet"),
    ("s3a://bucket/t/a.parquet", "s3a://bucket/t/a.parquet"),
]


@pytest.mark.parametrize(("location", "name"), LOCATIONS)
def test_files_are_named_below_the_folder_wherever_the_table_was_made(location, name):
    assert Locations("file:///t", "/made/here").name(location) == name


def test_stores_of_two_names_are_one():
    assert Locations("s3://b/t", "s3a://b/t").name("s3n://b/t/data/x") == "data/x"


@pytest.mark.parametrize("scheme", ["abfs", "abfss", "wasb", "wasbs"])
def test_files_of_azure_are_in_the_folder_by_whatever_name_its_store_is_called(scheme):
    endpoint = "blob" if scheme.startswith("wasb") else "dfs"
    file = f"{scheme}://box@account.{endpoint}.core.windows.net/t/data/x"

    assert Locations("abfss://box@account.dfs.core.windows.net/t", "/made").name(file) == "data/x"


def test_copied_table_is_made_of_its_own_files(tmp_path):
    path = golden_table("columns", tmp_path)

    report = convert(path)

    assert report.partition_columns == ("day", "name")
    assert all((path / name).is_file() for name in (decode_path(one["path"]) for one in adds(path)))


def test_session_may_keep_iceberg_tables_from_being_converted(iceberg):
    iceberg.filled("t", PEOPLE)

    with pytest.raises(DeltaAnalysisError) as caught:
        convert(iceberg.path("t"), iceberg=False)

    assert caught.value.condition == "DELTA_CONVERT_NON_PARQUET_TABLE"


def test_missing_library_is_told_in_one_line(iceberg, monkeypatch):
    iceberg.filled("t", PEOPLE)
    monkeypatch.setitem(sys.modules, "pyiceberg.manifest", None)
    for name in [one for one in sys.modules if ".conversion.iceberg." in one]:
        if not name.endswith(".lazy"):
            monkeypatch.delitem(sys.modules, name)

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_LIBRARY_MISSING"
    assert "\n" not in caught.value.message
