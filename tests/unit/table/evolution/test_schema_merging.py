"""Each pair of types, in a table and in data: kept, changed, cast or refused."""

from itertools import product

import pytest

from puredelta.errors.classes import DeltaAnalysisError, DeltaError
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
    simple_string,
)
from puredelta.table.columns.type_widening import Widening
from puredelta.table.evolution.schema_merging import SchemaMerge
from tests.unit.table.evolution.columns import required, rules, struct

INTERVAL = UnknownType("interval day to second")
VECTOR = UserDefinedType(
    '{"type":"udt","pyClass":"pyspark.ml.linalg.VectorUDT","sqlType":"long"}', LONG
)
POINT = UserDefinedType('{"pyClass":"mine.PointUDT","type":"udt","sqlType":"string"}', STRING)
COLLATED = StructField("x", STRING, metadata={"__COLLATIONS": {"x": "spark.UTF8_LCASE"}})
TYPES = [
    BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, DecimalType(10, 2), DecimalType(20, 0),
    DecimalType(22, 2), STRING, BINARY, BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, VARIANT, INTERVAL,
    VECTOR, ArrayType(INTEGER), MapType(STRING, INTEGER), StructType((StructField("x", INTEGER),)),
]  # fmt: skip

SMALL = {(BYTE, SHORT), (BYTE, INTEGER), (SHORT, INTEGER)}
SAME_FAMILY = {
    *SMALL, (BYTE, LONG), (SHORT, LONG), (INTEGER, LONG), (FLOAT, DOUBLE),
    (DecimalType(10, 2), DecimalType(22, 2)), (DecimalType(20, 0), DecimalType(22, 2)),
}  # fmt: skip
ACROSS_FAMILIES = {
    *product((BYTE, SHORT, INTEGER), (DOUBLE, DecimalType(20, 0), DecimalType(22, 2))),
    *product((LONG,), (DecimalType(20, 0), DecimalType(22, 2))),
    (DATE, TIMESTAMP_NTZ),
}
# Narrower integers are cast without a difference.
NARROWER = {(wide, narrow) for narrow, wide in SMALL}
# Data of a class may not be put where its table stores the plain type, and the other way round.
PLAIN = {(VECTOR, LONG)}


def merged(kept: DataType, given: DataType, **how: object) -> DataType:
    merge = SchemaMerge(rules(**how))
    found = merge.merge_field(StructField("c", kept), StructField("C", given), ("c",))
    merge.finish()
    return found.data_type


def refused(kept: DataType, given: DataType, **how: object) -> DeltaError:
    with pytest.raises(DeltaAnalysisError) as raised:
        merged(kept, given, **how)
    return raised.value


Pairs = set[tuple[DataType, DataType]]


def of(kept: DataType, pairs: Pairs) -> Pairs:
    return {(left, right) for left, right in pairs if left == kept}


def names(value: object) -> str:
    return simple_string(value) if isinstance(value, DataType) else ""


@pytest.mark.parametrize("kept", TYPES, ids=names)
def test_same_types_stay_whatever_the_rules(kept):
    for evolve, same_types in product((True, False), (True, False)):
        assert merged(kept, kept, evolve=evolve, same_types=same_types) == kept


@pytest.mark.parametrize("kept", TYPES, ids=names)
def test_other_types_are_left_to_the_cast(kept):
    for given in TYPES:
        assert merged(kept, given) == kept
        # The one change that evolution makes of types by itself is a new field.
        assert merged(kept, given, evolve=True) == kept


@pytest.mark.parametrize("kept", TYPES, ids=names)
def test_types_are_widened_as_the_table_allows(kept):
    how = {"evolve": True, "widening": Widening.SAME_FAMILY}
    found = {given: merged(kept, given, **how) for given in TYPES}
    how["widening"] = Widening.ALWAYS
    always = {given: merged(kept, given, **how) for given in TYPES}

    assert {(kept, given) for given in TYPES if found[given] != kept} == of(kept, SAME_FAMILY)
    assert {(kept, given) for given in TYPES if always[given] != kept} == of(
        kept, SAME_FAMILY | ACROSS_FAMILIES
    )
    assert all(given in (kept, other) for other, given in [*found.items(), *always.items()])


@pytest.mark.parametrize("how", [{"evolve": False}, {"evolve": True, "fixed": frozenset({"c"})}])
def test_types_are_not_widened_where_the_table_may_not_change(how):
    for kept, given in SAME_FAMILY | ACROSS_FAMILIES:
        assert merged(kept, given, widening=Widening.ALWAYS, **how) == kept


@pytest.mark.parametrize("kept", TYPES, ids=names)
def test_writes_to_a_path_take_wider_small_integers_and_refuse_all_others(kept):
    for given in TYPES:
        if (kept, given) in SMALL:
            assert merged(kept, given, same_types=True, evolve=True) == given
            assert refused(kept, given, same_types=True).condition == "DELTA_METADATA_MISMATCH"
        elif given == kept or (kept, given) in NARROWER | PLAIN:
            assert merged(kept, given, same_types=True) == kept
        else:
            error = refused(kept, given, same_types=True, evolve=True)
            assert error.condition == "DELTA_FAILED_TO_MERGE_FIELDS"
            assert error.parameters["currentField"] == "c"


@pytest.mark.parametrize("other", TYPES, ids=names)
def test_void_takes_another_type_where_the_table_may_change(other):
    assert merged(other, VOID, same_types=True) == other
    assert merged(VOID, other, same_types=True, evolve=True) == other
    assert refused(VOID, other).condition == "DELTA_METADATA_MISMATCH"


def test_type_that_void_becomes_may_be_null_inside():
    given = struct(a=required("a", ArrayType(INTEGER, contains_null=False)))

    assert merged(VOID, given, evolve=True) == struct(a=ArrayType(INTEGER))


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        (VECTOR, "vector"),
        (POINT, "udt"),
        (ArrayType(VECTOR), "array<vector>"),
        (MapType(STRING, POINT), "map<string,udt>"),
        (struct(v=VECTOR), "struct<v:vector>"),
        (struct(x=COLLATED), "struct<x:string collate UTF8_LCASE>"),
        (DecimalType(10, 2), "decimal(10,2)"),
        (INTERVAL, "interval day to second"),
    ],
)
def test_types_are_shown_as_spark_writes_them(data_type, text):
    error = refused(data_type, BOOLEAN, same_types=True)

    assert error.parameters["currentDataType"] == text
    assert error.parameters["updateDataType"] == "boolean"


def test_string_with_a_collation_is_another_type():
    kept, collated = StructField("c", STRING), {"__COLLATIONS": {"c": "icu.UNICODE_CI"}}
    given = StructField("c", STRING, metadata=collated)

    assert SchemaMerge(rules()).merge_field(kept, given, ("c",)) == kept
    with pytest.raises(DeltaAnalysisError) as raised:
        SchemaMerge(rules(same_types=True)).merge_field(kept, given, ("c",))
    assert raised.value.parameters["updateDataType"] == "string collate UNICODE_CI"
    same = StructField("c", STRING, metadata=collated)
    assert SchemaMerge(rules(same_types=True)).merge_field(given, same, ("c",)) == given


@pytest.mark.parametrize(
    ("wrap", "path"),
    [
        (ArrayType, "c.element"),
        (lambda inner: MapType(inner, STRING), "c.key"),
        (lambda inner: MapType(STRING, inner), "c.value"),
        (lambda inner: struct(x=inner), "c.x"),
        (lambda inner: ArrayType(MapType(STRING, struct(x=inner))), "c.element.value.x"),
    ],
)
def test_rules_hold_at_every_depth_and_paths_name_the_place(wrap, path):
    by_widening = {"evolve": True, "widening": Widening.SAME_FAMILY}

    assert merged(wrap(INTEGER), wrap(LONG), **by_widening) == wrap(LONG)
    assert merged(wrap(INTEGER), wrap(LONG)) == wrap(INTEGER)
    assert merged(wrap(VOID), wrap(LONG), evolve=True) == wrap(LONG)
    assert merged(wrap(LONG), wrap(VOID)) == wrap(LONG)
    error = refused(wrap(INTEGER), wrap(LONG), same_types=True, evolve=True)
    assert error.parameters["currentField"] == path


def test_nullability_of_the_table_stays_at_every_depth():
    strict = struct(
        a=required("a", ArrayType(INTEGER, contains_null=False)),
        m=StructField("m", MapType(STRING, INTEGER, value_contains_null=False)),
    )
    lax = struct(a=ArrayType(INTEGER), m=MapType(STRING, INTEGER))

    assert merged(strict, lax, evolve=True, same_types=True) == strict
    assert merged(lax, strict, evolve=True, same_types=True) == lax


@pytest.mark.parametrize(
    ("by_name", "given", "grown"),
    [
        (True, struct(Y=INTEGER, X=INTEGER), struct(x=INTEGER, y=INTEGER)),
        (True, struct(z=INTEGER, x=INTEGER), struct(x=INTEGER, y=INTEGER, z=INTEGER)),
        (True, struct(x=INTEGER), struct(x=INTEGER, y=INTEGER)),
        (False, struct(p=INTEGER, q=INTEGER), struct(x=INTEGER, y=INTEGER)),
        (False, struct(p=INTEGER, q=INTEGER, r=LONG), struct(x=INTEGER, y=INTEGER, r=LONG)),
    ],
)
def test_fields_are_matched_by_name_or_position_and_added_at_the_end(by_name, given, grown):
    kept = struct(x=INTEGER, y=INTEGER)

    assert merged(kept, given, by_name=by_name, evolve=True) == grown


def test_too_few_fields_by_position_are_refused():
    error = refused(struct(x=INTEGER, y=INTEGER), struct(x=INTEGER), by_name=False)

    assert error.condition == "DELTA_INSERT_COLUMN_ARITY_MISMATCH"
    assert error.parameters["columnName"] == "the struct `c`"


def test_differences_are_collected_until_the_end():
    merge = SchemaMerge(rules())
    kept, given = struct(x=INTEGER, v=VOID), struct(x=INTEGER, v=LONG, n=VECTOR)

    merge.merge_field(StructField("c", kept), StructField("c", given), ("c",))

    assert merge.differences == [
        "`c.v` is bigint in the data and void in the table",
        "the data has `c.n` vector, the table does not",
    ]
