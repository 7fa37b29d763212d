"""The conditions that columns carry in their metadata."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.table.expressions.invariants import invariant_of


def test_condition_is_read_out_of_its_wrapping():
    metadata = {"delta.invariants": '{"expression":{"expression":"id > 5"}}', "comment": "x"}

    assert invariant_of(metadata, "id") == "id > 5"


def test_column_without_one_has_none():
    assert invariant_of({"comment": "x"}, "id") is None


@pytest.mark.parametrize(
    "stored", ["", "{}", "x > 5", '{"expression":"x > 5"}', '{"expression":{"expression":5}}', "[]"]
)
def test_one_that_cannot_be_read_is_an_error_not_nothing(stored):
    with pytest.raises(DeltaAnalysisError) as caught:
        invariant_of({"delta.invariants": stored}, "s.x")

    assert caught.value.condition == "DELTA_INVARIANT_MALFORMED"
    assert caught.value.parameters["columnName"] == "s.x"
