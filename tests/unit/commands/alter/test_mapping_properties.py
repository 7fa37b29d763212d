"""Column mapping by SET and UNSET TBLPROPERTIES, on tables in memory."""

import pytest

from puredelta.commands.alter.properties import SetProperties, UnsetProperties
from puredelta.errors import DeltaAnalysisError, DeltaUnsupportedOperationError
from puredelta.schema.datatypes import INTEGER, STRING, ArrayType, StructField, StructType
from puredelta.table.protocol.protocol import features_of
from tests.unit.commands.alter.test_drop_feature import add, context, operations, table

MODE = "delta.columnMapping.mode"
MAX = "delta.columnMapping.maxColumnId"
ID = "delta.columnMapping.id"
PHYSICAL = "delta.columnMapping.physicalName"
INNER = StructType((StructField("x", INTEGER),))
PLAIN = StructType(
    (StructField("a", INTEGER), StructField("l", ArrayType(INNER)), StructField("b", STRING))
)


def mapped_schema(physical="a", name="a"):
    keys = {ID: 1, PHYSICAL: physical}
    return StructType((StructField(name, INTEGER, metadata=keys),))


def mapped(*actions, schema=None, mode="name", highest="1"):
    keys = {"columnMapping__mode": mode, "columnMapping__maxColumnId": highest}
    schema = schema or mapped_schema()
    return table([], *actions, schema=schema, readers=["columnMapping"], **keys)


def to(target, mode, **settings):
    command = SetProperties(table=target, properties={MODE: mode})
    return command.run(context(**settings))


def unset(target, *keys):
    return UnsetProperties(table=target, keys=keys).run(context())


def test_existing_columns_keep_their_names_and_get_ids():
    after = to(table([], add(), schema=PLAIN), "name")

    a, items, b = after.schema
    [inner] = items.data_type.element_type
    assert [one.metadata[ID] for one in (a, items, inner, b)] == [1, 2, 3, 4]
    assert [one.metadata[PHYSICAL] for one in (a, items, inner, b)] == ["a", "l", "x", "b"]
    assert after.configuration == {MODE: "name", MAX: "4"}
    assert "columnMapping" in features_of(after.protocol)
    assert after.num_files == 1


@pytest.mark.parametrize(
    ("target", "mode"),
    [(table([]), "id"), (mapped(), "id"), (mapped(mode="id"), "name")],
    ids=["none to id", "name to id", "id to name"],
)
def test_mode_that_files_cannot_follow_is_refused(target, mode):
    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        to(target, mode)

    assert raised.value.condition == "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"
    assert raised.value.parameters["newMode"] == mode


def test_files_with_the_names_of_users_stay_when_the_mapping_goes():
    target = mapped(add())

    after = to(target, "none")

    assert after.configuration == {MODE: "none"}
    assert after.schema == StructType((StructField("a", INTEGER),))
    assert after.num_files == 1
    assert operations(target) == ["REMOVE COLUMN MAPPING"]


def test_other_properties_come_with_a_commit_of_their_own():
    target = mapped(add())
    command = SetProperties(table=target, properties={MODE: "none", "mine": "1"})

    after = command.run(context())

    assert operations(target) == ["REMOVE COLUMN MAPPING", "SET TBLPROPERTIES"]
    assert after.configuration == {MODE: "none", "mine": "1"}


def test_property_that_is_unset_takes_the_mapping_away():
    after = unset(mapped(), MODE)

    assert after.configuration == {}
    assert after.schema.fields[0].metadata == {}


def test_highest_id_is_not_forgotten():
    """Columns that were dropped had ids too, and their values are in files still."""
    after = unset(mapped(highest="3"), MAX)

    assert after.configuration == {MODE: "name", MAX: "3"}


def test_session_may_forbid_to_take_the_mapping_away():
    with pytest.raises(DeltaUnsupportedOperationError):
        to(mapped(), "none", mapping_removal=False)


def test_names_that_need_the_mapping_keep_it():
    target = mapped(schema=mapped_schema(name="a b"))

    with pytest.raises(DeltaAnalysisError) as raised:
        to(target, "none")

    assert raised.value.condition == "DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING"
    assert raised.value.parameters["invalidColumnNames"] == "a b"
    assert target.log().latest().version == 0


def test_plan_tells_all_without_a_commit():
    target = mapped(add())
    before = target.log().latest()
    command = SetProperties(table=target, properties={MODE: "none", "mine": "1"})

    change = command.plan(context(), before)

    assert change.metadata.configuration == {MODE: "none", "mine": "1"}
    assert "columnMapping" not in change.metadata.schema_string
    assert target.log().latest().version == 0
