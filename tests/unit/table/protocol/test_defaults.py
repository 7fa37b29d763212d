"""Defaults of columns in a schema: kept, changed, refused."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import INTEGER, StructField, StructType
from puredelta.table.protocol.defaults import (
    check_allowed,
    default_of,
    stored_defaults,
    with_default,
)

PLAIN = StructField("id", INTEGER, metadata={"comment": "c"})
FIVE = StructField("n", INTEGER, metadata={"CURRENT_DEFAULT": "5", "EXISTS_DEFAULT": "5"})


def test_default_is_the_text_for_rows_to_come():
    assert default_of(FIVE.metadata) == "5"
    assert default_of(PLAIN.metadata) is None


def test_stored_schema_keeps_no_default_for_rows_that_are_there():
    nested = StructField("s", StructType((FIVE,)))

    stored = stored_defaults(StructType((PLAIN, FIVE, nested)))

    assert [field.metadata for field in stored] == [
        {"comment": "c"},
        {"CURRENT_DEFAULT": "5"},
        {},
    ]
    assert stored.fields[2].data_type == StructType(
        (StructField("n", INTEGER, metadata={"CURRENT_DEFAULT": "5"}),)
    )


def test_set_and_drop_leave_other_metadata():
    changed = with_default(PLAIN, "1 + 1")

    assert changed.metadata == {"comment": "c", "CURRENT_DEFAULT": "1 + 1"}
    assert with_default(changed, None) == PLAIN
    assert with_default(PLAIN, None) is PLAIN


def test_default_needs_the_feature():
    with pytest.raises(DeltaAnalysisError) as caught:
        check_allowed(StructType((FIVE,)), frozenset({"appendOnly"}), "ALTER TABLE")

    assert caught.value.condition == "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED"
    check_allowed(StructType((FIVE,)), frozenset({"allowColumnDefaults"}), "ALTER TABLE")
    check_allowed(StructType((PLAIN,)), frozenset(), "ALTER TABLE")
