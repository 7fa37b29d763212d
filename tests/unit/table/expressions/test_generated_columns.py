"""What generated columns a table may be made with, judged by what a resolver says of them."""

from dataclasses import dataclass

import pytest

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    VARIANT,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.expressions.generated_columns import validate_generated_columns
from puredelta.table.expressions.generation_rules import ExpressionPart, Facts, UnknownExpression

TEXT = "f(i)"


@dataclass
class Told:
    """Says the same of each expression, and keeps what it was asked."""

    found: Facts | UnknownExpression
    asked: tuple[str, list[str]] | None = None

    def read(self, text: str, schema: StructType) -> Facts | UnknownExpression:
        self.asked = text, schema.names
        return self.found


def generated(data_type: DataType = INTEGER, name: str = "g", **more: object) -> StructField:
    return StructField(name, data_type, True, {"delta.generationExpression": TEXT, **more})


def facts(*kinds: str, data_type: DataType = INTEGER, random: str = "") -> Facts:
    parts = (
        ExpressionPart(kind=kind, text=kind.lower(), is_deterministic=kind != random)
        for kind in kinds
    )
    return Facts(data_type=data_type, parts=tuple(parts))


def refusal(found: Facts | UnknownExpression, *fields: StructField) -> DeltaAnalysisError:
    schema = StructType((StructField("i", INTEGER), *(fields or (generated(),))))
    with pytest.raises(DeltaAnalysisError) as caught:
        validate_generated_columns(Told(found), schema)
    return caught.value


def test_expression_over_base_columns_is_taken():
    asked = Told(facts("Add", "AttributeReference", "Literal"))

    validate_generated_columns(asked, StructType((StructField("i", INTEGER), generated())))

    assert asked.asked == (TEXT, ["i"])


def test_schema_without_generated_columns_asks_nothing():
    asked = Told(UnknownExpression("x"))

    validate_generated_columns(asked, StructType((StructField("i", INTEGER),)))

    assert asked.asked is None


def test_generated_columns_are_not_offered_to_one_another():
    asked = Told(facts("AttributeReference"))
    columns = (StructField("i", INTEGER), generated(name="a"), generated(name="b"))

    validate_generated_columns(asked, StructType(columns))

    assert asked.asked == (TEXT, ["i"])


def test_identity_column_may_be_computed_from():
    asked = Told(facts("AttributeReference", data_type=LONG))
    numbered = StructField("id", LONG, True, {"delta.identity.start": 1})

    validate_generated_columns(asked, StructType((numbered, generated(LONG))))

    assert asked.asked == (TEXT, ["id"])


def test_unknown_column_is_refused_and_the_others_named():
    error = refusal(UnknownExpression("`nope`"))

    assert error.condition == "DELTA_INVALID_GENERATED_COLUMN_REFERENCES"
    assert "g cannot be generated as f(i): `nope`" in str(error)
    assert "without the table's name in front: i." in str(error)


@pytest.mark.parametrize(
    ("found", "condition"),
    [
        (facts("Add", "PythonUDF"), "DELTA_UDF_IN_GENERATED_COLUMN"),
        (facts("ScalaUDF", "Literal"), "DELTA_UDF_IN_GENERATED_COLUMN"),
        (facts("HiveSimpleUDF"), "DELTA_UDF_IN_GENERATED_COLUMN"),
        (facts("Add", random="Add"), "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN"),
        (facts("AggregateExpression", "Sum"), "DELTA_AGGREGATE_IN_GENERATED_COLUMN"),
        (facts("Add", "LambdaFunction"), "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"),
        (facts("Window"), "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"),
        (facts("Now"), "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"),
    ],
)
def test_what_a_row_alone_does_not_tell_is_refused(found, condition):
    error = refusal(found)

    assert error.condition == condition
    assert error.sql_state == "42621"
    assert "The column g cannot be generated as f(i): " in str(error)


def test_first_wrong_part_is_the_one_that_is_told():
    error = refusal(facts("Add", "ScalarSubquery", "PythonUDF"))

    assert "scalarsubquery" in str(error)


def test_another_type_is_refused_with_a_cast_to_write():
    error = refusal(facts("Literal"), generated(LONG))

    assert error.condition == "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"
    assert "g is bigint, but f(i) gives int" in str(error)
    assert "CAST(f(i) AS bigint)" in str(error)


def test_nullability_inside_the_type_does_not_matter():
    column = generated(StructType((StructField("x", ArrayType(INTEGER, contains_null=True)),)))
    given = StructType((StructField("x", ArrayType(INTEGER, contains_null=False), False),))

    validate_generated_columns(
        Told(facts("CreateNamedStruct", data_type=given)), StructType((column,))
    )


def test_name_of_a_field_in_other_letters_is_another_type():
    given = StructType((StructField("X", INTEGER),))
    column = generated(StructType((StructField("x", INTEGER),)))

    error = refusal(facts("CreateNamedStruct", data_type=given), column)

    assert error.condition == "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"


@pytest.mark.parametrize("data_type", [VARIANT, ArrayType(VARIANT), MapType(STRING, VARIANT)])
def test_values_that_cannot_be_compared_are_refused(data_type):
    error = refusal(facts("AttributeReference", data_type=data_type), generated(data_type))

    assert error.condition == "DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN"


def test_default_beside_an_expression_is_refused():
    error = refusal(facts("Literal"), generated(CURRENT_DEFAULT="1"))

    assert error.condition == "GENERATED_COLUMN_WITH_DEFAULT_VALUE"


@pytest.mark.parametrize("wrap", [lambda inner: inner, ArrayType, lambda v: MapType(STRING, v)])
def test_field_inside_a_column_is_refused(wrap):
    column = StructField("s", wrap(StructType((generated(name="f"),))))

    error = refusal(facts("Literal"), column)

    assert error.condition == "PUREDELTA_GENERATED_COLUMN_IN_STRUCT"
    assert "The field f inside the column s" in str(error)
