"""Columns of data and table: matched by name and position, grown, refused with their paths."""

import pytest

from puredelta.errors.classes import DeltaError
from puredelta.schema.datatypes import (
    BYTE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    VOID,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.table.columns.type_widening import Widening
from puredelta.table.evolution.column_matching import ColumnMatch, match_columns
from tests.unit.table.evolution.columns import required, rules, struct

INT, TEXT = INTEGER, STRING


def matched(data: StructType, table: StructType, **given: object) -> ColumnMatch:
    return match_columns(data, table, rules(**given))


def refused(data: StructType, table: StructType, **given: object) -> DeltaError:
    with pytest.raises(DeltaError) as caught:
        match_columns(data, table, rules(**given))
    return caught.value


def test_columns_by_name_are_found_in_any_order_and_case():
    found = matched(struct(B=TEXT, a=INT), struct(A=INT, b=TEXT, c=INT))

    assert found.sources == (1, 0, None)
    assert found.schema.names == ["A", "b", "c"]


def test_columns_by_position_ignore_names():
    found = matched(struct(x=INT, y=TEXT), struct(a=INT, b=TEXT), by_name=False)

    assert found.sources == (0, 1)
    assert found.schema.names == ["a", "b"]


def test_too_few_columns_by_position_are_refused():
    error = refused(struct(x=INT), struct(a=INT, b=TEXT), by_name=False)

    assert error.condition == "DELTA_INSERT_COLUMN_ARITY_MISMATCH"


def test_extra_columns_are_told_all_at_once_with_paths_types_and_the_option():
    data = struct(a=INT, more=LONG, s=struct(x=INT, y=TEXT))

    error = refused(data, struct(a=INT, s=struct(x=INT)))

    assert error.condition == "DELTA_METADATA_MISMATCH"
    assert "`more` bigint" in str(error)
    assert "`s.y` string" in str(error)
    assert '.option("mergeSchema", "true")' in str(error)


def test_extra_columns_grow_the_table_at_its_end_and_may_be_null():
    data = struct(z=required("z", LONG), a=INT)

    found = matched(data, struct(a=INT, b=TEXT), evolve=True)

    assert found.schema == struct(a=INT, b=TEXT, z=LONG)
    assert found.sources == (1, None, 0)


def test_extra_column_by_position_must_not_have_a_name_of_the_table():
    data = struct(x=INT, B=TEXT)

    error = refused(data, struct(b=INT), by_name=False, evolve=True)

    assert error.condition == "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"


@pytest.mark.parametrize(
    ("outer", "path"),
    [
        (lambda inner: inner, "c.y"),
        (ArrayType, "c.element.y"),
        (lambda inner: MapType(TEXT, inner), "c.value.y"),
        (lambda inner: MapType(inner, TEXT), "c.key.y"),
        (lambda inner: struct(d=ArrayType(ArrayType(inner))), "c.d.element.element.y"),
    ],
)
def test_extra_fields_grow_nested_types_or_are_told_by_path(outer, path):
    table, data = struct(c=outer(struct(x=INT))), struct(c=outer(struct(y=TEXT, x=INT)))

    assert matched(data, table, evolve=True).schema == struct(c=outer(struct(x=INT, y=TEXT)))
    assert f"`{path}` string" in str(refused(data, table))


def test_fields_by_position_grow_by_those_beyond_the_last():
    data = struct(c=struct(p=INT, q=TEXT, r=LONG))

    found = matched(data, struct(s=struct(x=INT, y=TEXT)), by_name=False, evolve=True)

    assert found.schema == struct(s=struct(x=INT, y=TEXT, r=LONG))


def test_frame_may_leave_out_fields_and_an_insert_may_not():
    data, table = struct(s=struct(x=INT)), struct(s=struct(x=INT, y=TEXT))

    assert matched(data, table).schema == table
    error = refused(data, table, from_sql=True)
    assert error.condition == "DELTA_INSERT_COLUMN_ARITY_MISMATCH"
    assert "`s`" in str(error)
    assert matched(data, table, from_sql=True, evolve=True).schema == table


def test_insert_by_name_with_more_columns_than_the_table_is_refused_by_count():
    data, table = struct(b=INT, a=INT), struct(a=INT)

    error = refused(data, table, from_sql=True)

    assert error.condition == "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
    assert error.sql_state == "21S01"
    assert matched(data, table, from_sql=True, evolve=True).schema == struct(a=INT, b=INT)


def test_insert_by_name_with_columns_behind_those_of_the_table_names_them():
    error = refused(struct(A=INT, b=INT), struct(a=INT), from_sql=True)

    assert error.condition == "DELTA_METADATA_MISMATCH"
    assert "`b` int" in str(error)


@pytest.mark.parametrize(
    ("given", "condition"),
    [
        ({}, "DELTA_DUPLICATE_COLUMNS_FOUND.READ_SCHEMA"),
        ({"from_sql": True}, "DELTA_DUPLICATE_COLUMNS_FOUND.READ_SCHEMA"),
        ({"same_types": True}, "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"),
    ],
)
def test_names_that_differ_in_case_only_are_refused(given, condition):
    table = struct(a=INT, s=ArrayType(struct(x=INT)), c=INT)

    assert refused(struct(a=INT, A=INT), table, **given).condition == condition
    nested = refused(struct(s=ArrayType(struct(x=INT, X=INT))), table, **given)
    assert nested.condition == condition
    assert "s.element.x" in str(nested)


def test_same_names_inside_a_new_column_are_refused():
    error = refused(struct(a=INT, n=struct(x=INT, X=INT)), struct(a=INT), evolve=True)

    assert error.condition == "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"
    assert "n.x" in str(error)


def test_same_names_do_not_matter_by_position():
    data = StructType((StructField("x", INT), StructField("x", TEXT)))

    assert matched(data, struct(a=INT, b=TEXT), by_name=False).sources == (0, 1)


def test_not_null_column_left_out_is_refused_unless_it_has_a_default():
    table = struct(a=INT, b=required("b", INT), c=required("c", INT, CURRENT_DEFAULT="5"))

    assert refused(struct(a=INT), table).condition == "DELTA_MISSING_NOT_NULL_COLUMN_VALUE"
    assert refused(struct(a=INT), table, from_sql=True).condition == "DELTA_INSERT_COLUMN_MISMATCH"
    assert matched(struct(b=INT), table, from_sql=True).sources == (None, 0, None)


def test_not_null_field_left_out_is_told_by_its_path():
    table = struct(s=struct(x=INT, y=required("y", INT)))

    error = refused(struct(s=struct(x=INT)), table)

    assert error.condition == "DELTA_MISSING_NOT_NULL_COLUMN_VALUE"
    assert "`s.y`" in str(error)


def test_insert_that_must_not_fill_with_nulls_refuses_to_leave_out_a_column():
    table = struct(a=INT, b=INT, c=StructField("c", INT, metadata={"CURRENT_DEFAULT": "1"}))

    error = refused(struct(a=INT), table, from_sql=True, nulls=False)

    assert error.condition == "DELTA_INSERT_COLUMN_MISMATCH"
    assert matched(struct(a=INT, b=INT), table, from_sql=True, nulls=False).sources[2] is None
    assert matched(struct(a=INT), table, nulls=False).sources == (0, None, None)


def test_other_types_are_left_to_the_cast():
    assert matched(struct(a=TEXT), struct(a=INT)).schema == struct(a=INT)


@pytest.mark.parametrize(
    ("kept", "given", "reason"),
    [
        (INT, LONG, "DELTA_MERGE_INCOMPATIBLE_DATATYPE"),
        (INT, TEXT, "DELTA_MERGE_INCOMPATIBLE_DATATYPE"),
        (DecimalType(5, 2), DecimalType(10, 2), "DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE"),
        (struct(x=INT), INT, "DELTA_MERGE_INCOMPATIBLE_DATATYPE"),
        (ArrayType(INT), INT, "DELTA_MERGE_INCOMPATIBLE_DATATYPE"),
    ],
)
def test_path_write_refuses_other_types_with_path_types_and_reason(kept, given, reason):
    error = refused(
        struct(s=ArrayType(struct(x=given))), struct(s=ArrayType(struct(x=kept))), same_types=True
    )

    assert error.condition == "DELTA_FAILED_TO_MERGE_FIELDS"
    assert "`s.element.x`" in str(error)
    assert simple_string(kept) in str(error)
    assert simple_string(given) in str(error)
    assert isinstance(error.__cause__, DeltaError)
    assert error.__cause__.condition == reason


def test_path_write_widens_small_integers_only_where_the_table_may_change():
    table, data = struct(a=BYTE, b=INT), struct(a=SHORT, b=BYTE)

    assert matched(data, table, same_types=True, evolve=True).schema == struct(a=SHORT, b=INT)
    error = refused(data, table, same_types=True)
    assert error.condition == "DELTA_METADATA_MISMATCH"
    assert "`a` is smallint in the data and tinyint in the table" in str(error)


def test_void_takes_the_type_of_the_data_where_the_table_may_change():
    table = struct(a=INT, v=VOID)

    assert matched(struct(v=TEXT), table, evolve=True).schema == struct(a=INT, v=TEXT)
    assert refused(struct(v=TEXT), table).condition == "DELTA_METADATA_MISMATCH"


def test_void_data_fits_everything():
    table = struct(a=INT, s=struct(x=INT), v=VOID)
    data = struct(a=VOID, s=VOID, v=VOID)

    assert matched(data, table, same_types=True).schema == table


def test_table_keeps_spelling_nullability_and_metadata():
    kept = StructField("Id", INT, nullable=False, metadata={"comment": "c"})
    data = StructType((StructField("ID", INT, metadata={"comment": "other"}),))

    assert matched(data, StructType((kept,)), evolve=True).schema == StructType((kept,))


def test_wider_type_is_taken_at_every_depth_where_the_table_allows_it():
    table = struct(a=INT, s=ArrayType(struct(x=INT)), p=INT)
    data = struct(a=LONG, s=ArrayType(struct(x=LONG)), p=LONG)
    given = {"widening": Widening.ALWAYS, "fixed": frozenset({"p"})}

    found = matched(data, table, evolve=True, **given)

    assert found.schema == struct(a=LONG, s=ArrayType(struct(x=LONG)), p=INT)
    assert matched(data, table, **given).schema == table
    assert matched(table, data, evolve=True, **given).schema == data


def test_new_column_brings_its_default_only_where_the_table_allows_defaults():
    given = StructField("n", INT, metadata={"comment": "c", "CURRENT_DEFAULT": "1"})
    data = StructType((given,))

    plain = matched(data, struct(a=INT), evolve=True).schema.field("n")
    kept = matched(data, struct(a=INT), evolve=True, defaults=True).schema.field("n")

    assert plain.metadata == {"comment": "c"}
    assert kept.metadata == given.metadata


def test_new_column_does_not_bring_what_it_is_generated_or_numbered_by():
    told = {"delta.generationExpression": "a + 1", "delta.identity.start": 1, "comment": "c"}
    data = StructType((StructField("n", INT, metadata=told),))

    new = matched(data, struct(a=INT), evolve=True, defaults=True).schema.field("n")

    assert new.metadata == {"comment": "c"}


def test_column_that_is_computed_may_be_left_out_although_it_is_not_null():
    generated = {"delta.generationExpression": "a + 1"}
    table = struct(a=INT, g=required("g", INT, **generated))

    assert matched(struct(a=INT), table).sources == (0, None)
    assert matched(struct(a=INT), table, from_sql=True, nulls=False).sources == (0, None)
    assert refused(struct(g=INT), struct(a=required("a", INT), g=INT)).condition == (
        "DELTA_MISSING_NOT_NULL_COLUMN_VALUE"
    )


def test_partition_column_keeps_its_type_and_a_path_write_refuses_another():
    table, fixed = struct(a=INT, p=BYTE), {"fixed": frozenset({"p"})}
    wider, text = struct(a=INT, p=SHORT), struct(a=INT, p=TEXT)

    assert matched(wider, table, evolve=True, **fixed).schema == table
    error = refused(wider, table, evolve=True, same_types=True, **fixed)
    assert error.condition == "DELTA_METADATA_MISMATCH"
    error = refused(text, table, evolve=True, same_types=True, **fixed)
    assert error.condition == "DELTA_FAILED_TO_MERGE_FIELDS"
