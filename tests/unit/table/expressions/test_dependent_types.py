"""Types that columns may not get, as expressions read them or give them."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.expressions.dependent_types import check_added, check_evolved, retyped

EXPRESSION = "delta.generationExpression"


def struct(**fields):
    return StructType(tuple(StructField(name, type_) for name, type_ in fields.items()))


def generated(name, data_type, text):
    return StructField(name, data_type, metadata={EXPRESSION: text})


def schema(number=INTEGER):
    inner = struct(x=number, y=INTEGER)
    return StructType(
        (
            *struct(a=number, s=inner, m=MapType(STRING, inner), l=ArrayType(inner), p=STRING),
            generated("g", INTEGER, "s.y"),
        )
    )


def names(text):
    """Read `a + s.x` as the columns that it names."""
    return {tuple(word.split(".")) for word in text.replace("+", " ").split()}


def test_retyped_columns_are_found_at_every_depth():
    found = [path for path, _, _ in retyped(schema(), schema(LONG))]

    assert found == [("a",), ("s", "x"), ("m", "value", "x"), ("l", "element", "x")]


def test_evolution_that_retypes_a_constrained_column_is_refused():
    with pytest.raises(DeltaAnalysisError) as raised:
        check_evolved(schema(), schema(LONG), {"delta.constraints.c": "a"}, names)

    assert raised.value.condition == "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH"
    assert raised.value.parameters == {
        "columnName": "a",
        "columnType": "INT",
        "dataType": "BIGINT",
        "constraints": "delta.constraints.c -> a",
    }


def test_evolution_that_retypes_a_base_column_is_refused():
    with pytest.raises(DeltaAnalysisError) as raised:
        check_evolved(schema(), struct(s=struct(y=LONG)), {}, names)

    assert raised.value.condition == "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH"
    assert raised.value.parameters["generatedColumns"] == "g -> s.y"


def test_evolution_that_retypes_a_generated_column_is_refused():
    with pytest.raises(DeltaAnalysisError) as raised:
        check_evolved(schema(), struct(g=LONG), {}, names)

    assert raised.value.condition == "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"
    assert raised.value.parameters == {
        "columnName": "g",
        "columnType": "BIGINT",
        "expressionType": "INT",
        "generation": "s.y",
    }


def test_evolution_of_other_columns_passes():
    check_evolved(schema(), schema(LONG), {"delta.constraints.c": "p"}, names)


@pytest.mark.parametrize(
    ("data_type", "text", "is_refused"),
    [
        (struct(x=INTEGER), "s", True),
        (ArrayType(struct(x=INTEGER)), "s.t", True),
        (struct(x=INTEGER), "s.t.x", False),
        (INTEGER, "s", False),
    ],
)
def test_struct_that_a_column_of_structs_is_generated_from_must_not_grow(
    data_type, text, is_refused
):
    made = generated("g", data_type, text)
    before = StructType((*struct(s=struct(t=struct(x=INTEGER))), made))
    after = StructType((*struct(s=struct(t=struct(x=INTEGER, y=INTEGER))), made))

    for check in (
        lambda: check_added(before, after, names),
        lambda: check_evolved(before, after, {}, names),
    ):
        if not is_refused:
            check()
            continue
        with pytest.raises(DeltaAnalysisError) as raised:
            check()
        assert raised.value.parameters["columnName"] == "s.t"
        assert raised.value.parameters["generatedColumns"] == f"g -> {text}"


def test_generated_struct_gets_no_field():
    before = StructType((generated("g", struct(x=INTEGER), "s"),))
    after = StructType((generated("g", struct(x=INTEGER, y=INTEGER), "s"),))

    with pytest.raises(DeltaAnalysisError) as raised:
        check_added(before, after, names)

    assert raised.value.condition == "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"
