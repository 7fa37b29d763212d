"""What a target takes up of the columns that a MERGE WITH SCHEMA EVOLUTION assigns."""

import pytest

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.datatypes import (
    BYTE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    VOID,
    ArrayType,
    MapType,
    StructType,
)
from puredelta.table.columns.type_widening import Widening
from puredelta.table.evolution.merge_evolution import evolve_schema
from tests.unit.table.evolution.columns import required, rules, struct

INT, TEXT = INTEGER, STRING
TARGET = struct(id=INT, st=struct(a=INT))
SOURCE = struct(ID=LONG, st=struct(b=TEXT, A=INT), extra=TEXT)


def evolved(
    *paths: str, source: StructType = SOURCE, target: StructType = TARGET, **given: object
) -> StructType:
    named = [None if path == "*" else tuple(path.split(".")) for path in paths]
    return evolve_schema(target, source, named, rules(**{"evolve": True, **given}))


@pytest.mark.parametrize("given", [ArrayType(INT), struct(a=INT), MapType(TEXT, INT)])
def test_nested_values_do_not_become_plain_ones(given):
    with pytest.raises(DeltaAnalysisError) as raised:
        evolved("*", source=struct(ID=given))

    assert raised.value.condition == "DELTA_FAILED_TO_MERGE_FIELDS"
    assert raised.value.parameters["currentField"] == "id"
    assert raised.value.parameters["updateField"] == "ID"


@pytest.mark.parametrize("kept", [VOID, STRING])
def test_nested_values_may_become_texts_and_what_has_no_type_yet(kept):
    given = ArrayType(INT)

    found = evolved("*", source=struct(id=given), target=struct(id=kept))

    assert found == struct(id=given if kept == VOID else kept)


def test_star_takes_up_all_of_the_source():
    assert evolved("*") == struct(id=INT, st=struct(a=INT, b=TEXT), extra=TEXT)


@pytest.mark.parametrize(
    ("paths", "schema"),
    [
        (["id"], TARGET),
        (["extra"], struct(id=INT, st=struct(a=INT), extra=TEXT)),
        (["EXTRA", "extra"], struct(id=INT, st=struct(a=INT), extra=TEXT)),
        (["st"], struct(id=INT, st=struct(a=INT, b=TEXT))),
        (["st.b"], struct(id=INT, st=struct(a=INT, b=TEXT))),
        (["st.a", "unknown"], TARGET),
        (["st.a.x", "extra.x"], TARGET),
        ([], TARGET),
    ],
)
def test_assignments_take_up_what_they_name(paths, schema):
    assert evolved(*paths) == schema


def test_field_of_a_new_struct_comes_without_the_others():
    source = struct(new=struct(a=INT, b=struct(x=INT, y=INT)))

    found = evolved("new.b.y", source=source, target=struct(id=INT))

    assert found == struct(id=INT, new=struct(b=struct(y=INT)))


def test_column_without_a_type_is_taken_up():
    source = struct(id=INT, nothing=VOID)

    assert evolved("*", source=source) == struct(id=INT, st=struct(a=INT), nothing=VOID)


def test_new_columns_may_be_null_and_known_ones_stay_as_they_are():
    source = struct(id=required("ID", INT, comment="other"), n=required("n", INT))
    target = struct(id=required("Id", INT, comment="kept"))

    found = evolved("*", source=source, target=target)

    assert found == StructType((*target, *struct(n=INT)))


@pytest.mark.parametrize(
    ("widening", "fixed", "kept"),
    [
        (Widening.ALWAYS, frozenset(), SHORT),
        (Widening.NEVER, frozenset(), BYTE),
        (Widening.ALWAYS, frozenset({"n"}), BYTE),
    ],
)
def test_types_are_widened_where_the_table_allows_it(widening, fixed, kept):
    found = evolved(
        "n", source=struct(n=SHORT), target=struct(n=BYTE), widening=widening, fixed=fixed
    )

    assert found == struct(n=kept)


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(DeltaAnalysisError) as raised:
        evolved("*", source=struct(x=INT, X=INT))

    assert raised.value.condition == "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"
