"""Which changes of metadata a commit may follow that was prepared before them."""

import msgspec
import pytest

from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import STRING, StructField, StructType
from puredelta.table.protocol.features import FEATURES
from puredelta.txn.compatible_metadata import is_compatible
from tests.unit.txn.tables import SCHEMA, metadata

BEFORE = metadata()
MAPPED = StructType(
    tuple(
        StructField(
            field.name,
            field.data_type,
            field.nullable,
            {"delta.columnMapping.id": place, "delta.columnMapping.physicalName": field.name},
        )
        for place, field in enumerate(SCHEMA, start=1)
    )
)
MAPPING = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}


def harmless(after, before=BEFORE, features=FEATURES):
    return is_compatible(before, after, features)


def with_schema(schema, **configuration):
    return msgspec.structs.replace(metadata(**configuration), schema_string=schema_to_json(schema))


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {
            "delta.enableRowTracking": "true",
            "delta.rowTracking.materializedRowIdColumnName": "r",
            "delta.rowTracking.materializedRowCommitVersionColumnName": "v",
        },
        {"delta.enableDeletionVectors": "true"},
        {"delta.checkpointPolicy": "v2"},
        {
            "delta.enableInCommitTimestamps": "true",
            "delta.inCommitTimestampEnablementVersion": "3",
            "delta.inCommitTimestampEnablementTimestamp": "5",
        },
        MAPPING,
    ],
)
def test_turning_a_feature_on_that_the_protocol_has_is_harmless(configuration):
    assert harmless(metadata(**configuration))


@pytest.mark.parametrize(
    "configuration",
    [
        {"mine": "1"},
        {"delta.appendOnly": "true"},
        {"delta.enableChangeDataFeed": "true"},
        {"delta.enableRowTracking": "false"},
        {"delta.enableRowTracking": "true", "mine": "1"},
        {"delta.columnMapping.mode": "id"},
        {"delta.checkpointPolicy": "classic"},
        {"delta.constraints.c": "a > 0"},
    ],
)
def test_any_other_property_is_not(configuration):
    assert not harmless(metadata(**configuration))


def test_property_that_goes_is_not():
    assert not harmless(metadata(), before=metadata(mine="1"))


def test_names_of_row_id_columns_do_not_change():
    name = "delta.rowTracking.materializedRowIdColumnName"

    assert not harmless(metadata(**{name: "new"}), before=metadata(**{name: "old"}))


def test_feature_that_came_along_is_not():
    turned_on = metadata(**{"delta.enableDeletionVectors": "true"})

    assert not harmless(turned_on, features={"appendOnly", "invariants"})


def test_schema_may_get_what_column_mapping_puts_there():
    assert harmless(with_schema(MAPPED, **MAPPING))


def test_schema_may_get_nothing_else():
    wider = StructType((*MAPPED.fields, StructField("new", STRING)))
    narrower = StructType((StructField("a", STRING), *MAPPED.fields[1:]))

    assert not harmless(with_schema(wider, **MAPPING))
    assert not harmless(with_schema(narrower, **MAPPING))
    assert not harmless(with_schema(MAPPED))
    assert not harmless(msgspec.structs.replace(metadata(**MAPPING), schema_string="not a schema"))


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "22222222-2222-2222-2222-222222222222"},
        {"description": "new"},
        {"partition_columns": ["a"]},
        {"created_time": 2},
    ],
)
def test_table_stays_what_it_is(changed):
    assert not harmless(msgspec.structs.replace(metadata(), **changed))


def test_column_ids_only_rise():
    def numbered(value):
        return metadata(**{"delta.columnMapping.maxColumnId": value})

    assert harmless(numbered("3"), before=numbered("2"))
    assert not harmless(numbered("1"), before=numbered("2"))
    assert not harmless(numbered("x"))
