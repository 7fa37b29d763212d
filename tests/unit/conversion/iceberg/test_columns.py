"""The columns of Iceberg tables: types, ids and names, in files without ids too."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
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

from puredelta.conversion.iceberg.table import NAME_MAPPING
from puredelta.errors import (
    DeltaUnsupportedOperationError,
)
from puredelta.schema.datatypes import simple_string
from puredelta.table.columns.column_mapping import ID_KEY
from tests.iceberg_tables import (
    PEOPLE,
    IcebergTables,
    convert,
    golden_table,
    schema,
    snapshot,
    stats,
)


@pytest.fixture
def iceberg(tmp_path):
    tables = IcebergTables(tmp_path / "w")
    yield tables
    tables.close()


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


def test_name_that_two_columns_had_is_that_of_neither_in_the_log(iceberg):
    table = iceberg.filled("t", PEOPLE)
    with table.update_schema() as change:
        change.rename_column("name", "label")
    with table.update_schema() as change:
        change.add_column("name", LongType())

    convert(iceberg.path("t"))

    columns = {field.name: field.metadata for field in schema(iceberg.path("t"))}
    names = [one["delta.columnMapping.physicalName"] for one in columns.values()]
    assert [one["delta.columnMapping.id"] for one in columns.values()] == [1, 2, 3]
    assert names[0] == "id"
    assert all(name.startswith("col-") for name in names[1:])
    assert len(set(names)) == 3


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


def test_time_of_day_is_a_number_where_the_table_says_so(iceberg):
    rows = pa.table({"t": pa.array([1_000_000], pa.time64("us"))})
    iceberg.filled("t", rows, properties={"delta.castIcebergTimeType": "true"})

    convert(iceberg.path("t"))

    assert simple_string(schema(iceberg.path("t"))) == "struct<t:bigint>"
    assert stats(iceberg.path("t"))[0]["maxValues"] == {"t": 1_000_000}


def test_column_with_an_initial_default_is_refused(iceberg):
    iceberg.create("t", Schema(NestedField(1, "n", LongType(), required=False)))
    (last,) = (iceberg.path("t") / "metadata").glob("*.metadata.json")
    metadata = json.loads(last.read_text())
    metadata |= {"format-version": 3, "next-row-id": 0}
    metadata["schemas"][0]["fields"][0]["initial-default"] = 7
    last.write_text(json.dumps(metadata))

    with pytest.raises(DeltaUnsupportedOperationError, match="initial default 7"):
        convert(iceberg.path("t"))


def test_column_that_became_required_later_may_be_null_in_older_files(iceberg):
    columns = [
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "was", LongType(), required=False),
    ]
    table = iceberg.create("t", Schema(*columns))
    with table.update_schema(allow_incompatible_changes=True) as change:
        change.add_column("added", LongType(), required=True)
        change.update_column("was", required=True)

    convert(iceberg.path("t"))

    found = {column.name: column.nullable for column in schema(iceberg.path("t"))}
    assert found == {"id": False, "was": True, "added": True}


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


def test_column_of_a_file_that_the_mapping_leaves_out_is_not_taken_for_one_of_its_name(
    iceberg, tmp_path
):
    table = iceberg.create("t", PEOPLE.schema)
    imported(iceberg, tmp_path, table, PEOPLE)
    with table.transaction() as change:
        only_id = [{"field-id": 1, "names": ["id"]}]
        change.set_properties({NAME_MAPPING: json.dumps(only_id)})

    convert(iceberg.path("t"))

    names = [one.metadata["delta.columnMapping.physicalName"] for one in schema(iceberg.path("t"))]
    assert names[0] == "id"
    assert names[1].startswith("col-")


def test_files_without_ids_and_without_a_mapping_of_names_are_refused(iceberg, tmp_path):
    table = iceberg.filled("t", PEOPLE)
    imported(iceberg, tmp_path, table, PEOPLE)
    with iceberg.catalog.load_table("d.t").transaction() as change:
        change.remove_properties(NAME_MAPPING)

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_FILES_WITHOUT_IDS"
    assert caught.value.parameters["path"].endswith(".parquet")


def test_files_without_ids_are_refused_wherever_they_are_in_a_manifest(iceberg, tmp_path):
    merging = {"commit.manifest-merge.enabled": "true", "commit.manifest.min-count-to-merge": "2"}
    table = iceberg.create("t", PEOPLE.schema, properties=merging)
    imported(iceberg, tmp_path, table, PEOPLE)
    for _ in range(2):
        table = iceberg.catalog.load_table("d.t")
        table.append(PEOPLE)
    with table.transaction() as change:
        change.remove_properties(NAME_MAPPING)

    with pytest.raises(DeltaUnsupportedOperationError) as caught:
        convert(iceberg.path("t"))

    assert caught.value.condition == "DELTA_ICEBERG_FILES_WITHOUT_IDS"
    assert not (iceberg.path("t") / "_delta_log").exists()


def test_files_of_another_writer_with_ids_are_found_by_them(iceberg, tmp_path):
    table = iceberg.create("t", PEOPLE.schema, properties={NAME_MAPPING: "[]"})
    table.append(PEOPLE)

    convert(iceberg.path("t"))

    configuration = snapshot(iceberg.path("t")).metadata.configuration
    assert configuration["delta.columnMapping.mode"] == "id"
