"""Features of tables that `write_table` honours, and those that only Spark can."""

import threading

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.errors import (
    DeltaArithmeticError,
    DeltaIllegalArgumentError,
    DeltaInvariantViolationError,
    DeltaUnsupportedOperationError,
    MetadataChangedError,
)
from puredelta.log.table_log import open_log
from puredelta.rows.open_table import open_table
from puredelta.rows.write_table import write_table
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    LONG,
    STRING,
    TIMESTAMP,
    StructField,
    StructType,
)
from puredelta.table.check import check_table
from puredelta.table.expressions.identity_columns import MARK_KEY, IdentityColumn, identity_metadata
from puredelta.table.protocol.defaults import with_default
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.unit.rows.written import EVERY_TYPE, condition, create, data_files, rows_of


@pytest.mark.parametrize("mode", ["name", "id"])
def test_mapped_columns_have_their_names_and_ids_in_files(tmp_path, mode):
    path = tmp_path / "t"
    properties = {"delta.columnMapping.mode": mode}
    nested = pa.array([{"a ,b": 1}], pa.struct({"a ,b": pa.int32()}))
    items = pa.array([[{"x": 1}]], pa.list_(pa.struct({"x": pa.int32()})))
    rows = pa.table({"the id": [1], "n": nested, "l": items, "the part": ["p"]})
    write_table(path, rows, partition_by="the part", properties=properties)
    write_table(path, rows)

    table = open_table(path)
    assert table.to_arrow().to_pylist() == rows.to_pylist() * 2
    (file, _) = data_files(path)
    schema = pq.read_schema(file)
    ids = {field.name: field.metadata[b"PARQUET:field_id"] for field in schema}
    expected = {
        field.metadata["delta.columnMapping.physicalName"]: str(
            field.metadata["delta.columnMapping.id"]
        ).encode()
        for field in table.schema
        if field.name != "the part"
    }
    assert ids == expected
    element = schema.field(2).type.value_type.field(0)
    assert element.metadata[b"PARQUET:field_id"]
    assert file.parent.name.startswith("col-")
    stats = msgspec.json.decode(table.snapshot.files["stats"][0].as_py())
    assert set(stats["minValues"]) <= set(expected)
    assert check_table(path).is_sound


def test_files_without_mapping_have_no_ids(tmp_path):
    write_table(tmp_path / "t", EVERY_TYPE)

    (file,) = data_files(tmp_path / "t")
    assert [field.metadata for field in pq.read_schema(file)] == [None] * len(EVERY_TYPE.columns)
    times = pq.read_metadata(file).schema
    kinds = {times.column(i).name: times.column(i).physical_type for i in range(len(times))}
    assert (kinds["at"], kinds["wall"], kinds["n"]) == ("INT64", "INT64", "INT64")


def test_defaults_are_literals(tmp_path):
    fields = [
        with_default(StructField("n", LONG), "7"),
        with_default(StructField("s", STRING, nullable=False), "'new'"),
        StructField("v", STRING),
    ]
    properties = {"delta.feature.allowColumnDefaults": "supported"}
    path = create(tmp_path / "t", StructType(tuple(fields)), properties)

    write_table(path, pa.table({"v": ["a", "b"]}))
    write_table(path, pa.table({"n": pa.array([None], pa.int64()), "v": ["c"]}))

    assert rows_of(path) == [
        {"n": 7, "s": "new", "v": "a"},
        {"n": 7, "s": "new", "v": "b"},
        {"n": None, "s": "new", "v": "c"},
    ]


def test_a_default_that_is_an_expression_is_refused_where_it_is_needed(tmp_path):
    fields = (with_default(StructField("s", STRING), "upper('x')"), StructField("v", LONG))
    properties = {"delta.feature.allowColumnDefaults": "supported"}
    path = create(tmp_path / "t", StructType(fields), properties)

    write_table(path, pa.table({"s": ["given"], "v": [1]}))
    with pytest.raises(DeltaUnsupportedOperationError, match=r"column s .*\(upper\('x'\)\)"):
        write_table(path, pa.table({"v": [1]}))


def with_identity(path, start=10, step=5, **more) -> str:
    column = IdentityColumn("id", start, step, **more)
    fields = (
        StructField("id", LONG, metadata=identity_metadata(column)),
        StructField("v", STRING),
    )
    return create(path, StructType(fields))


def mark_of(path) -> object:
    return open_table(path).schema.fields[0].metadata.get(MARK_KEY)


def test_identity_values_go_on(tmp_path):
    path = with_identity(tmp_path / "t")

    write_table(path, pa.table({"v": ["a", "b"]}))
    write_table(path, pa.table({"v": ["c"]}))
    write_table(path, pa.table({"v": ["d"]}), "overwrite")

    assert mark_of(path) == 25
    assert rows_of(path) == [{"id": 25, "v": "d"}]
    assert [row["id"] for row in open_table(path, version=2).to_arrow().to_pylist()] == [10, 15, 20]
    given = pa.table({"id": [1], "v": ["e"]})
    assert condition(write_table, path, given) == (
        "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"
    )


def test_identity_values_of_writers_at_once_differ(tmp_path):
    path = with_identity(tmp_path / "t", start=-1, step=-1)
    writers = [
        threading.Thread(target=write_table, args=(path, pa.table({"v": [str(n)] * 3})))
        for n in range(6)
    ]

    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert sorted(row["id"] for row in rows_of(path)) == [*range(-18, 0)]
    assert len(data_files(path)) == 6
    assert mark_of(path) == -18


def test_identity_values_run_out(tmp_path):
    path = with_identity(tmp_path / "t", start=2**63 - 2, step=1)

    write_table(path, pa.table({"v": ["a", "b"]}))
    with pytest.raises(DeltaArithmeticError):
        write_table(path, pa.table({"v": ["c"]}))
    assert [row["id"] for row in rows_of(path)] == [2**63 - 2, 2**63 - 1]


def test_identity_values_may_be_given_where_the_table_says_so(tmp_path):
    path = with_identity(tmp_path / "t", allows_explicit=True)

    write_table(path, pa.table({"id": [77], "v": ["a"]}))
    write_table(path, pa.table({"v": ["b"]}))

    assert [row["id"] for row in rows_of(path)] == [77, 10]


def test_row_ids_are_given_out(tmp_path):
    path = tmp_path / "t"
    properties = {"delta.enableRowTracking": "true"}
    write_table(path, pa.table({"id": [1, 2]}), properties=properties)
    write_table(path, pa.table({"id": [3]}))

    files = open_table(path).snapshot.files
    assert files["base_row_id"].to_pylist() == [0, 2]
    assert files["default_row_commit_version"].to_pylist() == [0, 1]


def test_versions_get_checksums_and_checkpoints(tmp_path):
    properties = {"delta.checkpointInterval": "2", "delta.enableInCommitTimestamps": "true"}
    for number in range(3):
        write_table(tmp_path / "t", pa.table({"id": [number]}), properties=properties)

    log = {file.name for file in (tmp_path / "t" / "_delta_log").iterdir()}
    assert {f"{number:020}.crc" for number in range(3)} <= log
    assert "00000000000000000002.checkpoint.parquet" in log
    assert check_table(tmp_path / "t").is_sound


def test_changes_are_those_of_rows(tmp_path):
    path = tmp_path / "t"
    properties = {"delta.enableChangeDataFeed": "true"}
    write_table(path, pa.table({"id": [1]}), properties=properties)
    write_table(path, pa.table({"id": [2]}), "overwrite")

    changed = open_table(path).changes(0).select(["id", "_change_type", "_commit_version"])
    assert sorted(map(tuple, (row.values() for row in changed.to_pylist()))) == [
        (1, "delete", 1), (1, "insert", 0), (2, "insert", 1),
    ]  # fmt: skip


def test_a_table_that_only_grows_is_not_overwritten(tmp_path):
    path = tmp_path / "t"
    write_table(path, pa.table({"id": [1]}), properties={"delta.appendOnly": "true"})

    write_table(path, pa.table({"id": [2]}))
    assert condition(write_table, path, pa.table({"id": [3]}), "overwrite") == (
        "DELTA_CANNOT_MODIFY_APPEND_ONLY"
    )
    assert len(data_files(path)) == 2


INVARIANT = {"delta.invariants": '{"expression":{"expression":"id > 1"}}'}


@pytest.mark.parametrize("mode", ["none", "name"])
def test_constraints_are_kept(tmp_path, mode):
    path = tmp_path / "t"
    fields = (
        StructField("id", LONG, metadata=INVARIANT),
        StructField("name", STRING),
    )
    properties = {
        "delta.columnMapping.mode": mode,
        "delta.constraints.named": "name IS NOT NULL AND name <> ''",
        "delta.constraints.few": "ID <= 100 OR `name` LIKE 'big%'",
    }
    create(path, StructType(fields), properties)

    write_table(path, pa.table({"id": [2, 100, 101], "name": ["a", "b", "bigger"]}))
    for row, broken, shown in (
        ({"id": 2, "name": None}, "named", "name : null"),
        ({"id": 101, "name": "a"}, "few", "id : 101\n - name : a"),
        ({"id": None, "name": "a"}, "few", "id : null"),
        ({"id": 1, "name": "a"}, "EXPRESSION(id > 1)", "id : 1"),
    ):
        with pytest.raises(DeltaInvariantViolationError) as caught:
            write_table(path, pa.table({"id": [7, row["id"]], "name": ["good", row["name"]]}))
        assert caught.value.getCondition() == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
        assert caught.value.parameters["constraintName"] == broken
        assert shown in caught.value.parameters["values"]
    assert open_table(path).version == 1
    assert len(rows_of(path)) == 3


NAMED = StructType((StructField("id", LONG), StructField("name", STRING)))
GENERATED = {"delta.generationExpression": "id + 1"}
LATE = {"delta.constraints.late": "at > '2026-01-01'"}
LENGTH = {"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)"}


@pytest.mark.parametrize(
    ("schema", "properties", "reason"),
    [
        (NAMED, {"delta.constraints.some": "abs(id) > 0"}, "constraint some (abs(id) > 0)"),
        (NAMED, {"delta.enableVariantShredding": "true"}, "table feature variantShredding"),
        (NAMED, {"delta.compatibility.symlinkFormatManifest.enabled": "true"}, "symlinkFormat"),
        (StructType((StructField("id", LONG), StructField("g", LONG, metadata=GENERATED))), {},
         "column g is generated"),
        (StructType((StructField("s", STRING, metadata=LENGTH),)), {}, "varchar(3)"),
        (StructType((StructField("at", TIMESTAMP),)), LATE, "time zone of a session"),
    ],
)  # fmt: skip
def test_what_only_spark_can_keep_is_refused_by_name(tmp_path, schema, properties, reason):
    path = create(tmp_path / "t", schema, properties)

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        write_table(path, pa.table({schema.names[0]: pa.nulls(1)}))

    assert caught.value.getCondition() == "PUREDELTA_WRITE_NEEDS_SPARK"
    assert reason in str(caught.value)
    assert data_files(path) == []


def test_a_new_table_that_only_spark_could_write_is_not_created(tmp_path):
    properties = {"delta.constraints.some": "abs(id) > 0"}

    rows = pa.table({"id": [1]})

    refused = condition(write_table, tmp_path, rows, properties=properties)

    assert refused == "PUREDELTA_WRITE_NEEDS_SPARK"
    assert not (tmp_path / "_delta_log").exists()


def test_not_null_columns_of_arrow_stay_so(tmp_path):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    write_table(tmp_path / "t", pa.table({"id": [1]}, schema=schema))

    assert open_table(tmp_path / "t").schema == StructType(
        (StructField("id", LONG, nullable=False),)
    )
    nothing = pa.table({"id": pa.nulls(1, pa.int64())})
    with pytest.raises(DeltaInvariantViolationError):
        write_table(tmp_path / "t", nothing)


def test_schema_is_changed_meanwhile(tmp_path, monkeypatch):
    path = str(tmp_path / "t")
    write_table(path, pa.table({"id": [1]}))
    files = data_files(path)
    commit = Transaction.commit

    def add_column():
        before = open_log(path).latest()
        wider = StructType((*before.schema, StructField("more", LONG)))
        changed = msgspec.structs.replace(before.metadata, schema_string=schema_to_json(wider))
        Transaction(open_log(path), before).commit([], Operation("ADD COLUMNS"), metadata=changed)

    def second(self, *arguments, **options):
        monkeypatch.setattr(Transaction, "commit", commit)
        # Another thread, as a commit takes the files of its own statement.
        other = threading.Thread(target=add_column)
        other.start()
        other.join()
        return commit(self, *arguments, **options)

    monkeypatch.setattr(Transaction, "commit", second)
    with pytest.raises(MetadataChangedError):
        write_table(path, pa.table({"id": [2]}))
    assert data_files(path) == files


def test_a_wrong_type_is_no_mode():
    with pytest.raises(DeltaIllegalArgumentError, match="is no mode of write_table"):
        write_table("/nowhere", pa.table({"id": [1]}), mode=None)
