"""Columns that number rows: what the log says of them, the next number, the mark, refusals."""

import pytest

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaArithmeticError,
    DeltaError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import Format, Metadata
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import INTEGER, LONG, STRING, ArrayType, StructField, StructType
from puredelta.table.expressions.identity_columns import (
    IdentityColumn,
    check_identity_columns,
    check_kept,
    check_not_given,
    differs_in_high_water_marks_only,
    identity_columns,
    identity_metadata,
    identity_of,
    with_high_water_marks,
)

UP = IdentityColumn("id", start=10, step=5)
DOWN = IdentityColumn("id", start=-10, step=-5)
LAST = 2**63 - 1


def field(column=UP, data_type=LONG, **metadata):
    return StructField(column.name, data_type, metadata={**identity_metadata(column), **metadata})


def schema(*fields):
    return StructType((*fields, StructField("v", STRING)))


def metadata(column=UP, **configuration):
    return Metadata(
        id="11111111-1111-1111-1111-111111111111",
        format=Format(),
        schema_string=schema_to_json(schema(field(column))),
        partition_columns=[],
        configuration=configuration,
    )


def marked(column, mark):
    return IdentityColumn(column.name, column.start, column.step, mark, column.allows_explicit)


def test_column_is_read_off_its_metadata():
    column = IdentityColumn("id", start=-3, step=7, mark=4, allows_explicit=True)

    assert identity_columns(schema(field(column))) == (column,)
    assert identity_of("v", {"comment": "delta.identity.start"}) is None


@pytest.mark.parametrize("missing", ["start", "step", "allowExplicitInsert"])
def test_half_told_column_is_refused(missing):
    told = identity_metadata(UP)
    del told["delta.identity." + missing]

    with pytest.raises(DeltaAnalysisError, match="DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA"):
        identity_of("id", told)


@pytest.mark.parametrize(
    ("column", "base"),
    [(UP, 10), (marked(UP, 20), 25), (DOWN, -10), (marked(DOWN, -20), -25)],
)
def test_next_number_is_the_start_or_a_step_behind_the_mark(column, base):
    assert column.base == base


def test_there_is_no_number_behind_the_last_one():
    column = IdentityColumn("id", start=1, step=2, mark=LAST - 1)

    with pytest.raises(DeltaArithmeticError, match="PUREDELTA_IDENTITY_OVERFLOW"):
        _ = column.base
    with pytest.raises(DeltaArithmeticError, match="PUREDELTA_IDENTITY_OVERFLOW"):
        IdentityColumn("id", start=LAST, step=1).after(2)


@pytest.mark.parametrize(
    ("column", "value", "mark"),
    [
        (UP, 10, 10),
        (UP, 11, 15),
        (UP, 77, 80),
        (UP, 9, None),
        (marked(UP, 80), 50, 80),
        (DOWN, -22, -25),
        (DOWN, -9, None),
        (marked(DOWN, -80), -50, -80),
    ],
)
def test_mark_goes_to_the_first_number_that_is_not_before_a_value(column, value, mark):
    assert column.marked(value).mark == mark


def test_mark_that_would_not_fit_leaves_no_number():
    column = IdentityColumn("id", start=0, step=10).marked(LAST)

    assert column.mark == LAST - 7
    with pytest.raises(DeltaArithmeticError):
        _ = column.base


def test_numbers_from_one_to_another_are_counted():
    assert UP.steps_between(10, 30) == 5
    assert DOWN.steps_between(-10, -10) == 1
    assert UP.after(3) == 20


@pytest.mark.parametrize(
    ("wrong", "condition"),
    [
        (field(data_type=INTEGER), "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE"),
        (field(IdentityColumn("id", 1, 0)), "DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP"),
        (
            field(**{"delta.generationExpression": "v + 1"}),
            "DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION",
        ),
        (field(CURRENT_DEFAULT="1"), "PUREDELTA_IDENTITY_WITH_DEFAULT"),
        (StructField("s", StructType((field(),))), "PUREDELTA_IDENTITY_IN_STRUCT"),
        (StructField("a", ArrayType(StructType((field(),)))), "PUREDELTA_IDENTITY_IN_STRUCT"),
    ],
)
def test_column_that_cannot_number_rows_is_refused(wrong, condition):
    with pytest.raises(DeltaError) as refused:
        check_identity_columns(schema(wrong), ())

    assert refused.value.condition == condition
    assert isinstance(refused.value, (DeltaAnalysisError, DeltaUnsupportedOperationError))


def test_table_is_not_partitioned_by_its_numbers():
    check_identity_columns(schema(field()), ("v",))

    with pytest.raises(DeltaAnalysisError, match="DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED"):
        check_identity_columns(schema(field()), ("ID",))


def test_only_columns_by_default_take_values():
    by_default = IdentityColumn("other", 1, 1, allows_explicit=True)
    table = schema(field(), field(by_default))

    check_not_given(table, ["v", "other"])
    with pytest.raises(DeltaAnalysisError) as refused:
        check_not_given(table, ["v", "Id"])

    assert refused.value.condition == "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"
    assert refused.value.parameters == {"colName": "id"}


def test_marks_are_set_and_taken_away():
    moved = with_high_water_marks(metadata(), {"id": 30})

    assert with_high_water_marks(metadata(), {"id": None}) == metadata()
    assert identity_columns(schema(field(marked(UP, 30)))) == (marked(UP, 30),)
    assert '"delta.identity.highWaterMark":30' in moved.schema_string
    assert with_high_water_marks(moved, {"id": None}) == metadata()


def test_metadata_that_differs_in_marks_only_is_told_from_other():
    moved = with_high_water_marks(metadata(), {"id": 30})

    assert differs_in_high_water_marks_only(metadata(), moved)
    assert differs_in_high_water_marks_only(moved, metadata())
    assert not differs_in_high_water_marks_only(metadata(), metadata())
    assert not differs_in_high_water_marks_only(metadata(), metadata(mine="1"))
    assert not differs_in_high_water_marks_only(metadata(), metadata(DOWN))


def test_column_keeps_all_but_name_place_and_comment():
    check_kept(field(), StructField("nr", LONG, metadata={**field().metadata, "comment": "c"}))
    check_kept(StructField("v", STRING), StructField("v", STRING, nullable=False))

    for new in (
        field(data_type=STRING),
        StructField("id", LONG, nullable=False, metadata=field().metadata),
        field(CURRENT_DEFAULT="5"),
    ):
        with pytest.raises(
            DeltaAnalysisError, match="DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED"
        ):
            check_kept(field(), new)
