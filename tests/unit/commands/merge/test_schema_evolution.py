"""What a MERGE WITH SCHEMA EVOLUTION takes up of its source."""

import pytest
from pyspark.sql import Column
from pyspark.sql.types import (
    ArrayType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from puredelta.commands.merge.clauses import Assignment, Clauses, Delete, Insert, Update
from puredelta.commands.merge.schema_evolution import evolved_schema
from puredelta.commands.rows.matching_rules import Rules
from puredelta.commands.rows.schema_merging import has_same_fields, lacks_fields
from puredelta.errors.classes import DeltaAnalysisError

INT, LONG, TEXT = IntegerType(), LongType(), StringType()
RULES = Rules(table="t", by_name=True, evolve=True, same_types=False)


def struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


TARGET = struct(id=INT, st=struct(a=INT))
SOURCE = struct(ID=LONG, st=struct(b=TEXT, A=INT), extra=TEXT)


def assigning(*paths: str) -> Update:
    # What is assigned does not matter here.
    value: Column = None  # type: ignore[assignment]
    return Update(assignments=tuple(Assignment(tuple(path.split(".")), value) for path in paths))


def evolved(clauses: Clauses, source: StructType = SOURCE) -> StructType:
    return evolved_schema(clauses, TARGET, source, ("t",), RULES)


@pytest.mark.parametrize("given", [ArrayType(INT), struct(a=INT), MapType(TEXT, INT)])
def test_nested_values_do_not_become_plain_ones(given):
    with pytest.raises(DeltaAnalysisError) as raised:
        evolved(Clauses(matched=(Update(),)), struct(id=given))

    assert raised.value.condition == "DELTA_FAILED_TO_MERGE_FIELDS"


@pytest.mark.parametrize("star", [Clauses(matched=(Update(),)), Clauses(not_matched=(Insert(),))])
def test_star_takes_up_all_of_the_source(star):
    assert evolved(star) == struct(id=INT, st=struct(a=INT, b=TEXT), extra=TEXT)


@pytest.mark.parametrize(
    ("update", "schema"),
    [
        (assigning("id"), TARGET),
        (assigning("t.extra"), struct(id=INT, st=struct(a=INT), extra=TEXT)),
        (assigning("st"), struct(id=INT, st=struct(a=INT, b=TEXT))),
        (assigning("st.b"), struct(id=INT, st=struct(a=INT, b=TEXT))),
        (assigning("st.a", "unknown"), TARGET),
    ],
)
def test_assignments_take_up_what_they_name(update, schema):
    assert evolved(Clauses(matched=(update,))) == schema


def test_rows_without_a_match_in_the_source_take_up_nothing():
    assert evolved(Clauses(matched=(Delete(),), by_source=(assigning("extra"),))) == TARGET


def test_column_without_a_type_is_taken_up():
    source = struct(id=INT, nothing=NullType())

    assert evolved(Clauses(matched=(Update(),)), source) == struct(
        id=INT, st=struct(a=INT), nothing=NullType()
    )


@pytest.mark.parametrize(
    ("source", "target", "lacks"),
    [
        (INT, LONG, False),
        (struct(a=INT), struct(A=LONG), False),
        (struct(a=INT), struct(a=INT, b=INT), True),
        (struct(a=INT, b=INT), struct(a=INT), False),
        (struct(a=struct(x=INT)), struct(a=struct(x=INT, y=INT)), True),
        (ArrayType(INT), ArrayType(LONG), False),
    ],
)
def test_missing_fields_are_seen_at_any_depth(source, target, lacks):
    assert lacks_fields(source, target) is lacks


@pytest.mark.parametrize(
    ("source", "target", "same"),
    [
        (struct(a=INT), struct(A=LONG), True),
        (ArrayType(struct(a=INT)), ArrayType(struct(a=INT, b=INT)), False),
        (MapType(TEXT, struct(a=INT, b=INT)), MapType(TEXT, struct(a=INT)), False),
        (ArrayType(INT), TEXT, True),
    ],
)
def test_other_fields_are_seen_in_arrays_and_maps_too(source, target, same):
    assert has_same_fields(source, target) is same
