"""ALTER TABLE on columns, as plans: what history is told, what columns become, what is refused."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from puredelta.commands.alter.add_columns import AddColumns, NewColumn
from puredelta.commands.alter.change_column import (
    AlterTableChangeColumnDeltaCommand,
    AlterTableChangeColumnsDeltaCommand,
    ColumnChange,
)
from puredelta.commands.alter.drop_columns import DropColumns
from puredelta.commands.alter.replace_columns import ReplaceColumns
from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import Format, Metadata, Protocol, encode_commit
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.schema.changes import FIRST, Position, find_column_position
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.storage.memory import MemoryStore
from puredelta.table.columns.mapping_ids import with_mapping
from puredelta.table.protocol.protocol import schema_of

ID, NAME = "delta.columnMapping.id", "delta.columnMapping.physicalName"
DECLARED = "__CHAR_VARCHAR_TYPE_STRING"
CONTEXT = SimpleNamespace()
PAIR = StructType((StructField("a", INTEGER), StructField("b", STRING)))
SCHEMA = StructType(
    (
        StructField("id", INTEGER, metadata={"comment": "c", "CURRENT_DEFAULT": "5"}),
        StructField("v", STRING, metadata={DECLARED: "varchar(3)"}),
        StructField("s", PAIR),
        StructField("l", ArrayType(PAIR)),
        StructField("m", MapType(STRING, INTEGER)),
    )
)


@dataclass
class Table:
    """A table in memory, in the form that commands take."""

    store: MemoryStore

    label = "t"

    def log(self):
        return TableLog(self.store)


def table(schema=SCHEMA, *, is_mapped=False, partitions=(), **configuration):
    given = {f"delta.{key}": value for key, value in configuration.items()}
    if is_mapped:
        given["delta.columnMapping.mode"] = "name"
        schema, given = with_mapping(schema, given)
    features = ["columnMapping"] if is_mapped else []
    protocol = Protocol(
        min_reader_version=3 if is_mapped else 1,
        min_writer_version=7,
        reader_features=features if is_mapped else None,
        writer_features=["appendOnly", "invariants", "allowColumnDefaults", *features],
    )
    metadata = Metadata(
        id="0",
        format=Format(),
        schema_string=schema_to_json(schema),
        partition_columns=list(partitions),
        configuration=given,
        created_time=1,
    )
    store = MemoryStore(now=lambda: 1)
    store.put(commit_name(0), encode_commit([metadata, protocol]))
    return Table(store)


def planned(command):
    return command.plan(CONTEXT, command.table.log().latest())


def changing(target, *path, position=None, **changes):
    before = target.log().latest()
    column = find_column_position(before.schema, path)
    return AlterTableChangeColumnDeltaCommand(
        table=target,
        column_path=column.path[:-1],
        column_name=column.path[-1],
        new_column=replace(column.field, **changes),
        col_position=position,
    )


def schema_after(change):
    return schema_of(change.metadata)


def refused(command, condition):
    with pytest.raises(DeltaAnalysisError, match=condition) as caught:
        planned(command)
    return str(caught.value)


def test_comment_is_history_by_the_path_of_the_column():
    change = planned(changing(table(), "L", "element", "B", metadata={"comment": "x"}))

    told = {"name": "l.element.b", "type": "string", "nullable": True, "metadata": {"comment": "x"}}
    assert (change.operation.name, change.operation.parameters) == (
        "CHANGE COLUMN",
        {"column": told},
    )
    assert find_column_position(schema_after(change), ("l", "element", "b")).field.metadata == {
        "comment": "x"
    }


def test_nested_type_is_told_by_its_kind_alone():
    change = planned(changing(table(), "s", metadata={"comment": "x"}))

    assert change.operation.parameters["column"]["type"] == "struct"


@pytest.mark.parametrize("path", [("l", "element"), ("m", "key"), ("m", "value")])
def test_what_is_in_an_array_or_a_map_has_no_comment(path):
    refused(
        changing(table(), *path, metadata={"comment": "x"}), "DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY"
    )


def test_position_is_told_as_the_schema_spells_it():
    change = planned(changing(table(), "id", position=Position("V")))

    assert change.operation.parameters["position"] == "AFTER v"
    assert schema_after(change).names == ["v", "id", "s", "l", "m"]


def test_position_after_a_column_that_is_not_there_is_refused():
    refused(changing(table(), "id", position=Position("a")), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA")


def test_rename_changes_the_logical_name_alone():
    target = table(is_mapped=True)
    before = target.log().latest().schema

    change = planned(changing(target, "s", "a", name="x y"))

    after = schema_after(change)
    assert change.operation.name == "RENAME COLUMN"
    assert change.operation.parameters == {"oldColumnPath": "s.a", "newColumnPath": "s.x y"}
    assert find_column_position(after, ("s", "x y")).field == replace(
        find_column_position(before, ("s", "a")).field, name="x y"
    )
    assert [one for one in after if one.name != "s"] == [one for one in before if one.name != "s"]


def test_rename_may_change_only_the_case_of_letters():
    assert schema_after(planned(changing(table(is_mapped=True), "id", name="ID"))).names[0] == "ID"


def test_rename_takes_the_partition_column_with_it():
    target = table(is_mapped=True, partitions=["id"], dataSkippingStatsColumns="v,s.a")

    assert planned(changing(target, "id", name="x")).metadata.partition_columns == ["x"]
    configuration = planned(changing(target, "s", name="z")).metadata.configuration
    assert configuration["delta.dataSkippingStatsColumns"] == "v,z.a"


def test_rename_without_mapping_tells_the_statement_that_turns_it_on():
    told = refused(changing(table(), "id", name="x"), "DELTA_UNSUPPORTED_RENAME_COLUMN")

    assert "ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')" in told


def test_rename_to_a_name_that_is_there_is_refused():
    refused(
        changing(table(is_mapped=True), "id", name="V"),
        r"DELTA_DUPLICATE_COLUMNS_FOUND\.METADATA_UPDATE",
    )


def test_what_the_log_keeps_with_a_column_stays_whatever_is_given():
    target = table(is_mapped=True)

    field = schema_after(planned(changing(target, "id", metadata={"comment": "z"}))).fields[0]

    assert field.metadata[ID] == 1
    assert field.metadata[NAME].startswith("col-")
    assert {key: one for key, one in field.metadata.items() if key not in (ID, NAME)} == {
        "comment": "z"
    }


def test_same_type_in_other_words_changes_nothing():
    words = StructType((StructField("A", INTEGER, nullable=False), StructField("B", STRING)))

    change = planned(changing(table(), "s", data_type=words))

    assert find_column_position(schema_after(change), ("s",)).field.data_type == PAIR


@pytest.mark.parametrize("new", [LONG, STRING, ArrayType(INTEGER)])
def test_other_types_are_refused_where_types_are_not_widened(new):
    refused(changing(table(), "id", data_type=new), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP")


def test_longer_text_is_allowed_and_told():
    change = planned(changing(table(), "v", metadata={DECLARED: "varchar(9)"}))

    assert schema_after(change).fields[1].metadata == {DECLARED: "varchar(9)"}


def test_length_of_a_nested_text_changes_where_the_text_goes():
    text = "struct<a:varchar(3),b:varchar(5)>"
    pair = StructType((StructField("a", STRING), StructField("b", STRING)))
    before = StructType((StructField("s", pair, metadata={DECLARED: text}),))
    new = StructField("b", STRING, metadata={DECLARED: "varchar(9)"})
    change = ColumnChange(column_path=("s",), column_name="b", new_column=new, col_position=FIRST)

    found = planned(
        AlterTableChangeColumnsDeltaCommand(table=table(before), changes=lambda _: (change,))
    )

    column = schema_after(found).fields[0]
    assert column.metadata == {DECLARED: "struct<b:varchar(9),a:varchar(3)>"}


def test_keys_of_maps_cannot_be_null():
    told = refused(
        changing(table(), "m", "key", nullable=True), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"
    )

    assert "from STRING NOT NULL to STRING" in told
    assert "Keys of maps are never null" in told
    assert "Widening" not in told


def test_several_columns_are_one_commit_in_the_order_of_the_statement():
    target = table()
    fields = {field.name: field for field in SCHEMA}
    changes = [
        ColumnChange(column_name="v", new_column=fields["v"], col_position=FIRST),
        ColumnChange(column_name="s", new_column=fields["s"], col_position=FIRST),
    ]

    change = planned(AlterTableChangeColumnsDeltaCommand(table=target, changes=lambda _: changes))

    told = change.operation.parameters["columns"]
    assert change.operation.name == "CHANGE COLUMNS"
    assert [(one["name"], one["position"]) for one in told] == [("v", "FIRST"), ("s", "FIRST")]
    assert schema_after(change).names == ["s", "v", "id", "l", "m"]


def test_columns_are_added_and_told_as_they_were_declared():
    columns = [
        NewColumn(field=StructField("w", STRING, metadata={DECLARED: "char(3)"}), position=FIRST),
        NewColumn(field=StructField("x", LONG), position=Position("w")),
        NewColumn(parent=("l", "element"), field=StructField("z", LONG)),
    ]

    change = planned(AddColumns(table=table(), columns=columns))

    first, second, third = change.operation.parameters["columns"]
    assert first == {
        "column": {"name": "w", "type": "char(3)", "nullable": True, "metadata": {}},
        "position": "FIRST",
    }
    assert second["position"] == "AFTER w"
    assert third["column"]["name"] == "l.element.z"
    assert "position" not in third
    assert schema_after(change).names == ["w", "x", "id", "v", "s", "l", "m"]


def test_added_columns_get_ids_that_no_column_ever_had():
    target = table(is_mapped=True)
    last = int(target.log().latest().configuration["delta.columnMapping.maxColumnId"])

    change = planned(
        AddColumns(table=target, columns=[NewColumn(field=StructField("a b", INTEGER))])
    )

    assert schema_after(change).fields[-1].metadata[ID] == last + 1
    assert change.metadata.configuration["delta.columnMapping.maxColumnId"] == str(last + 1)


@pytest.mark.parametrize(
    ("field", "condition"),
    [
        (StructField("n", INTEGER, nullable=False), "DELTA_OPERATION_NOT_ALLOWED"),
        (
            StructField("n", ArrayType(StructType((StructField("a", INTEGER, nullable=False),)))),
            "DELTA_OPERATION_NOT_ALLOWED",
        ),
        (
            StructField("n", INTEGER, metadata={"CURRENT_DEFAULT": "1"}),
            "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
        ),
        (StructField("ID", LONG), r"DELTA_DUPLICATE_COLUMNS_FOUND\.ADDING_COLUMNS"),
        (StructField("a b", LONG), "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"),
    ],
)
def test_column_that_cannot_be_added_is_refused(field, condition):
    refused(AddColumns(table=table(), columns=[NewColumn(field=field)]), condition)


def test_columns_are_dropped_and_leave_the_statistics_columns():
    target = table(is_mapped=True, dataSkippingStatsColumns="v,s.a,s.b")

    change = planned(DropColumns(table=target, columns=[("S", "A"), ("v",)]))

    assert change.operation.parameters == {"columns": ["s.a", "v"]}
    assert simple_string(schema_after(change)).startswith("struct<id:int,s:struct<b:string>,")
    assert change.metadata.configuration["delta.dataSkippingStatsColumns"] == "s.b"


def test_dropping_a_column_twice_or_with_its_struct_is_refused():
    for paths in ([("id",), ("id",)], [("s",), ("s", "a")]):
        refused(
            DropColumns(table=table(is_mapped=True), columns=paths),
            "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
        )


def test_dropping_what_is_not_there_is_nothing_to_do_when_asked_so():
    command = DropColumns(table=table(is_mapped=True), columns=[("nope",)], if_exists=True)

    assert planned(command) is None


def test_partition_columns_and_columns_without_mapping_are_not_dropped():
    refused(
        DropColumns(table=table(is_mapped=True, partitions=["id"]), columns=[("ID",)]),
        "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
    )
    refused(DropColumns(table=table(), columns=[("id",)]), "DELTA_UNSUPPORTED_DROP_COLUMN")


def test_replaced_columns_keep_what_the_list_does_not_say():
    wanted = StructType(
        (
            StructField("V", STRING, metadata={"comment": "new"}),
            StructField("ID", INTEGER),
            *(SCHEMA.fields[2:]),
            StructField("z", LONG),
        )
    )

    after = schema_after(planned(ReplaceColumns(table=table(), columns=wanted)))

    assert after.names == ["v", "id", "s", "l", "m", "z"]
    assert [dict(one.metadata) for one in after.fields[:2]] == [
        {"comment": "new"},
        {"comment": "c", "CURRENT_DEFAULT": "5"},
    ]


@pytest.mark.parametrize(
    ("is_mapped", "wanted", "told"),
    [
        (False, SCHEMA.fields[1:], "delta.columnMapping.mode"),
        (True, (*SCHEMA.fields[1:], StructField("x", LONG)), "RENAME COLUMN"),
        (False, (StructField("id", LONG), *SCHEMA.fields[1:]), "id cannot have its new type"),
        (
            True,
            (StructField("id", INTEGER, nullable=False), *SCHEMA.fields[1:]),
            "id cannot have its new type, or cannot be NOT NULL",
        ),
        (
            False,
            (*SCHEMA.fields[:4], StructField("m", MapType(STRING, LONG))),
            r"m\.value cannot have its new type",
        ),
    ],
)
def test_columns_that_files_cannot_follow_are_not_replaced(is_mapped, wanted, told):
    command = ReplaceColumns(table=table(is_mapped=is_mapped), columns=StructType(tuple(wanted)))

    shown = refused(command, told)

    assert shown.startswith("[DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP]")


def test_replaced_columns_may_drop_where_columns_are_mapped():
    target = table(is_mapped=True)

    change = planned(ReplaceColumns(table=target, columns=StructType(SCHEMA.fields[:2])))

    assert schema_after(change).names == ["id", "v"]
