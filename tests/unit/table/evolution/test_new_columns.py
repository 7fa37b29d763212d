"""Columns of data as a table takes them up."""

import pytest

from puredelta.schema.datatypes import INTEGER, STRING, ArrayType, MapType, StructField
from puredelta.table.evolution.new_columns import drop_definitions, make_column, make_nullable
from tests.unit.table.evolution.columns import required, struct

STRICT = struct(x=required("x", INTEGER))
LAX = struct(x=INTEGER)


@pytest.mark.parametrize(
    ("given", "nullable"),
    [
        (INTEGER, INTEGER),
        (STRICT, LAX),
        (ArrayType(STRICT, contains_null=False), ArrayType(LAX)),
        (MapType(STRICT, STRICT, value_contains_null=False), MapType(LAX, LAX)),
        (struct(s=required("s", ArrayType(STRICT))), struct(s=ArrayType(LAX))),
    ],
)
def test_new_column_may_be_null_at_every_depth(given, nullable):
    assert make_nullable(given) == nullable
    assert make_column(required("c", given)) == StructField("c", nullable)


def test_new_column_keeps_its_notes_but_not_its_place_in_other_files():
    mapped = {"delta.columnMapping.id": 7, "delta.columnMapping.physicalName": "p"}
    given = StructField("c", struct(x=required("x", INTEGER, **mapped)), metadata={"comment": "c"})

    assert make_column(given) == StructField("c", LAX, metadata={"comment": "c"})
    assert make_column(required("c", INTEGER, **mapped)) == StructField("c", INTEGER)


@pytest.mark.parametrize("defaults", [True, False])
def test_definitions_of_another_table_are_dropped(defaults):
    notes = {"comment": "c", "__CHAR_VARCHAR_TYPE_STRING": "char(3)"}
    default = {"CURRENT_DEFAULT": "1"}
    others = {"delta.generationExpression": "a", "delta.identity.step": 1}
    given = StructField("c", STRING, metadata={**notes, **default, **others})

    found = drop_definitions(given, defaults=defaults)

    assert found.metadata == ({**notes, **default} if defaults else notes)
    assert drop_definitions(found, defaults=defaults) is found
