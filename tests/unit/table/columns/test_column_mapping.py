"""The names and ids under which files know columns."""

import pytest

from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.columns.column_mapping import (
    MappingMode,
    mapping_mode,
    physical_names,
    physical_paths,
    physical_schema,
)


def mapped(name, kind, physical, number):
    metadata = {
        "delta.columnMapping.physicalName": physical,
        "delta.columnMapping.id": number,
        "comment": "kept out of files",
    }
    return StructField(name, kind, metadata=metadata)


INNER = StructType((mapped("x", LONG, "p3", 3), mapped("y z", STRING, "p4", 4)))
TABLE = StructType(
    (
        mapped("a", INTEGER, "p1", 1),
        mapped("s", INNER, "p2", 2),
        mapped("l", ArrayType(INNER), "p5", 5),
        mapped("m", MapType(STRING, INNER), "p6", 6),
    )
)


@pytest.mark.parametrize(
    ("configuration", "mode"),
    [
        ({}, MappingMode.NONE),
        ({"delta.columnMapping.mode": "Name"}, MappingMode.NAME),
        ({"delta.columnMapping.mode": "id"}, MappingMode.ID),
    ],
)
def test_mode_is_read_in_any_case(configuration, mode):
    assert mapping_mode(configuration) is mode


def test_unknown_mode_is_refused_by_name():
    with pytest.raises(DeltaUnsupportedOperationError, match="sideways"):
        mapping_mode({"delta.columnMapping.mode": "sideways"})


def test_names_stay_without_mapping():
    assert physical_names(TABLE, ["a", "s"], MappingMode.NONE) == ["a", "s"]
    assert physical_schema(TABLE, TABLE, MappingMode.NONE).names == TABLE.names


def test_partition_columns_have_physical_names():
    assert physical_names(TABLE, ["A", "gone"], MappingMode.NAME) == ["p1", "gone"]


def test_inner_fields_are_renamed_in_structs_lists_and_maps():
    inner = StructType((StructField("p3", LONG), StructField("p4", STRING)))

    found = physical_schema(TABLE, TABLE, MappingMode.NAME)

    assert found == StructType(
        (
            StructField("p1", INTEGER),
            StructField("p2", inner),
            StructField("p5", ArrayType(inner)),
            StructField("p6", MapType(STRING, inner)),
        )
    )


def test_pruned_and_foreign_columns_are_followed():
    wanted = StructType(
        (
            StructField("_tmp_metadata_row_index", LONG),
            StructField("s", StructType((StructField("y z", STRING),))),
        )
    )

    found = physical_schema(wanted, TABLE, MappingMode.NAME)

    assert found.names == ["_tmp_metadata_row_index", "p2"]
    assert found.field("p2").data_type == StructType((StructField("p4", STRING),))


def test_numbers_are_told_in_mode_id_only():
    assert physical_schema(TABLE, TABLE, MappingMode.ID).field("p1").metadata == {
        "parquet.field.id": 1
    }
    assert physical_schema(TABLE, TABLE, MappingMode.NAME).field("p1").metadata == {}


def test_paths_of_filters_lead_through_structs_only():
    assert dict(physical_paths(TABLE, MappingMode.NAME)) == {
        ("a",): ("p1",),
        ("s",): ("p2",),
        ("s", "x"): ("p2", "p3"),
        ("s", "y z"): ("p2", "p4"),
        ("l",): ("p5",),
        ("m",): ("p6",),
    }


def test_missing_physical_name_is_told_with_the_column():
    plain = StructType((StructField("lost", LONG),))

    with pytest.raises(DeltaIllegalStateError, match="lost"):
        physical_schema(plain, plain, MappingMode.NAME)
