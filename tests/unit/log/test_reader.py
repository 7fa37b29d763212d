"""A table without Spark."""

import json
from datetime import date, datetime, timezone
from decimal import Decimal

import msgspec
import pyarrow as pa
import pytest

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
)
from puredelta.log import open_table
from puredelta.log.actions import DomainMetadata, Format, Metadata, Protocol
from puredelta.log.reader import feature_names
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    DATE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.storage.local import LocalStore
from tests.unit.log.logs import METADATA, PROTOCOL, add, commit, create, info, vector

LEFT_OUT = dict.fromkeys(
    ["tags", "base_row_id", "default_row_commit_version", "clustering_provider"]
)


@pytest.fixture
def table(tmp_path) -> str:
    store = LocalStore(str(tmp_path))
    create(store, add("p=x%20y/a", stats='{"numRecords":5}', partition_values={"p": "x y"}))
    commit(store, 1, info("WRITE", read_version=0), add("b", vector(1), partition_values={"p": ""}))
    return str(tmp_path)


def test_latest_version_is_opened(table):
    reader = open_table(table)

    assert reader.version == 1
    assert reader.schema.names == reader.arrow_schema.names == ["a", "p"]
    assert (reader.protocol, reader.metadata) == (PROTOCOL, METADATA)
    assert repr(reader) == f"TableReader('file://{table}', version=1)"


def test_files_of_a_version(table):
    files = open_table(table).files()

    assert files.drop(["modification_time"]).to_pylist() == [
        {
            "path": "p=x y/a",
            "size": 10,
            "partition": {"p": "x y"},
            "num_records": 5,
            "num_deleted": 0,
            **LEFT_OUT,
            "stats": '{"numRecords":5}',
        },
        {
            "path": "b",
            "size": 10,
            "partition": {"p": None},
            "num_records": None,
            "num_deleted": 1,
            **LEFT_OUT,
            "stats": None,
        },
    ]
    assert open_table(table, 0).file_uris() == [f"file://{table}/p=x y/a"]
    assert open_table(table, 0).files().num_rows == 1


def test_files_are_not_given_for_rows_where_vectors_hide_some(table):
    with pytest.raises(DeltaUnsupportedOperationError, match="vectors hide rows") as raised:
        open_table(table).file_uris()

    assert raised.value.condition == "PUREDELTA_FILES_ARE_NOT_THE_ROWS"
    assert raised.value.parameters["version"] == "1"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"configuration": {"delta.columnMapping.mode": "id"}}, "column mapping"),
        ({"configuration": {"delta.columnMapping.mode": "name"}}, "column mapping"),
        (
            {
                "schema_string": '{"type":"struct","fields":[{"name":"a","type":"long",'
                '"nullable":true,"metadata":{"delta.typeChanges":[{"toType":"long",'
                '"fromType":"integer"}]}}]}'
            },
            "columns were widened",
        ),
    ],
)
def test_files_are_not_given_for_rows_where_columns_are_others(tmp_path, changed, reason):
    store = LocalStore(str(tmp_path))
    create(store, add("a"), table=msgspec.structs.replace(METADATA, **changed))

    with pytest.raises(DeltaUnsupportedOperationError, match=reason):
        open_table(str(tmp_path)).file_uris()


def test_history_ends_at_the_version_that_is_read(table):
    assert [row["version"] for row in open_table(table).history()] == [1, 0]
    assert [row["version"] for row in open_table(table).history(1)] == [1]
    assert [row["version"] for row in open_table(table, 0).history(1)] == [0]
    row = open_table(table).history(1)[0]
    assert (row["operation"], row["readVersion"]) == ("WRITE", 0)
    assert datetime.fromisoformat(row["timestamp"].replace("Z", "+00:00")).year >= 2024


def test_detail_is_plain(table):
    detail = open_table(table).detail()

    assert json.loads(json.dumps(detail)) == detail
    assert detail["location"] == f"file://{table}"
    assert detail["createdAt"] == "2023-11-14T22:13:20.000Z"
    assert (detail["numFiles"], detail["sizeInBytes"]) == (2, 20)
    assert detail["partitionColumns"] == ["p"]
    assert detail["tableFeatures"] == ["appendOnly", "invariants"]


def test_unpartitioned_table_has_no_partition_column(tmp_path):
    path = partitioned_by(str(tmp_path), values=[{}])

    assert "partition" not in open_table(path).files().column_names


def test_clustering_columns_are_read_in_both_forms(tmp_path):
    store = LocalStore(str(tmp_path))
    columns = json.dumps({"clusteringColumns": ["a", ["s", "f x"]]})
    create(store, DomainMetadata(domain="delta.clustering", configuration=columns, removed=False))

    assert open_table(str(tmp_path)).detail()["clusteringColumns"] == ["a", "s.`f x`"]


def test_time_travel_by_text_and_moment(table):
    first = open_table(table).history()[-1]["timestamp"]

    assert open_table(table, timestamp=first).version == 0
    moment = datetime.fromisoformat(first.replace("Z", "+00:00"))
    assert open_table(table, timestamp=moment).version == 0
    with pytest.raises(DeltaAnalysisError, match="EARLIER"):
        open_table(table, timestamp="2001-01-31")


def test_bad_requests_are_refused(table, tmp_path):
    with pytest.raises(DeltaIllegalArgumentError, match="DELTA_ONEOF_IN_TIMETRAVEL"):
        open_table(table, 1, "2024-01-01")
    with pytest.raises(DeltaAnalysisError, match="DELTA_TIMESTAMP_INVALID"):
        open_table(table, timestamp="yesterday")
    with pytest.raises(DeltaAnalysisError, match="DELTA_PATH_DOES_NOT_EXIST"):
        open_table(str(tmp_path / "nowhere"))


PARTITIONS = [
    ("i", INTEGER, "7", 7),
    ("d", DATE, "2024-01-31", date(2024, 1, 31)),
    ("n", DecimalType(10, 2), "1.50", Decimal("1.50")),
    ("b", BOOLEAN, "true", True),
    ("s", STRING, "ä", "ä"),
    ("y", BINARY, "AB", b"AB"),
    (
        "t",
        TIMESTAMP,
        "2024-01-02T03:04:05.123450Z",
        datetime(2024, 1, 2, 3, 4, 5, 123450, timezone.utc),
    ),
]


def partitioned_by(path: str, *fields: StructField, values) -> str:
    schema = StructType((StructField("v", LONG), *fields))
    table = Metadata(
        id="t",
        format=Format(),
        schema_string=schema_to_json(schema),
        partition_columns=[field.name for field in fields],
        configuration={},
    )
    create(
        LocalStore(path),
        *(add(f"f{n}", partition_values=v) for n, v in enumerate(values)),
        table=table,
    )
    return path


def test_partition_values_are_typed(tmp_path):
    fields = [StructField(name, data_type) for name, data_type, _, _ in PARTITIONS]
    texts = {name: text for name, _, text, _ in PARTITIONS}
    nulls = dict.fromkeys(texts)
    path = partitioned_by(str(tmp_path), *fields, values=[texts, nulls])

    found = open_table(path).files()["partition"].to_pylist()

    assert found == [{name: value for name, _, _, value in PARTITIONS}, nulls]


def test_values_that_arrow_cannot_type_stay_text(tmp_path):
    path = partitioned_by(
        str(tmp_path), StructField("t", TIMESTAMP), values=[{"t": "2024-01-02 03:04:05"}]
    )

    assert open_table(path).files()["partition"].to_pylist() == [{"t": "2024-01-02 03:04:05"}]


def test_mapped_columns_are_found_by_their_physical_name(tmp_path):
    field = StructField("p", INTEGER, metadata={"delta.columnMapping.physicalName": "col-1"})
    path = partitioned_by(str(tmp_path), field, values=[{"col-1": "4"}])

    assert open_table(path).files()["partition"].to_pylist() == [{"p": 4}]


def test_table_without_files_has_the_columns(tmp_path):
    path = partitioned_by(str(tmp_path), StructField("p", INTEGER), values=[])

    files = open_table(path).files()

    assert files.num_rows == 0
    assert files.schema.field("partition").type == pa.struct([("p", pa.int32())])


@pytest.mark.parametrize(
    ("protocol", "names"),
    [
        (Protocol(min_reader_version=1, min_writer_version=1), []),
        (
            Protocol(min_reader_version=1, min_writer_version=4),
            ["appendOnly", "changeDataFeed", "checkConstraints", "generatedColumns", "invariants"],
        ),
        (
            Protocol(
                min_reader_version=3,
                min_writer_version=7,
                reader_features=["b"],
                writer_features=["b", "a"],
            ),
            ["a", "b"],
        ),
    ],
)
def test_features_of_a_protocol(protocol, names):
    assert feature_names(protocol) == names


@pytest.mark.parametrize("moment", ["0001-01-01", "9999-12-31T23:00:00-14:00"])
def test_time_at_the_end_of_the_calendar_is_refused_by_name(table, moment):
    with pytest.raises(DeltaAnalysisError):
        open_table(table, timestamp=moment)
