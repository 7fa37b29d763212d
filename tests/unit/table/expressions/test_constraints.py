"""CHECK constraints among the properties of a table."""

import pytest

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.table.expressions.constraints import (
    RESERVED_NAME,
    Constraint,
    constraints_of,
    find_constraint,
    validated,
    with_constraint,
    without_constraint,
)


def test_constraints_are_read_in_any_case_of_letters_by_name():
    found = constraints_of(
        {"delta.constraints.b": "id > 1", "DELTA.Constraints.A": "id > 0", "own": "x"}
    )

    assert found == (Constraint("a", "id > 0"), Constraint("b", "id > 1"))


def test_added_under_its_name_in_small_letters():
    configuration = with_constraint({"own": "x"}, "Big", "id > 5")

    assert configuration == {"own": "x", "delta.constraints.big": "id > 5"}
    assert find_constraint(configuration, "BIG") == Constraint("big", "id > 5")


def test_name_in_use_is_refused_with_the_old_condition():
    with pytest.raises(DeltaAnalysisError) as caught:
        with_constraint({"delta.constraints.big": "id > 5"}, "BIG", "id > 6")

    assert caught.value.condition == "DELTA_CONSTRAINT_ALREADY_EXISTS"
    assert caught.value.message == (
        "Constraint 'BIG' already exists as a CHECK constraint."
        " Please delete the old constraint first.\nOld constraint:\nid > 5"
    )


@pytest.mark.parametrize("name", [RESERVED_NAME, RESERVED_NAME.lower()])
def test_reserved_name_is_refused(name):
    with pytest.raises(DeltaAnalysisError) as caught:
        with_constraint({}, name, "id > 6")

    assert caught.value.condition == "DELTA_INVALID_CONSTRAINT_NAME"
    assert f"Cannot use '{name}' as the name of a CHECK constraint." in str(caught.value)


def test_not_valid_is_a_mark_that_other_engines_pass_over():
    configuration = with_constraint({}, "Big", "id > 5", is_validated=False)

    assert configuration["delta.constraints.big"] == "id > 5"
    assert constraints_of(configuration) == (Constraint("big", "id > 5", is_validated=False),)
    assert validated(configuration, "BIG") == {"delta.constraints.big": "id > 5"}


def test_mark_left_over_from_another_condition_means_nothing():
    configuration = with_constraint({}, "big", "id > 5", is_validated=False)

    changed = configuration | {"delta.constraints.big": "id > 6"}

    assert constraints_of(changed) == (Constraint("big", "id > 6"),)


def test_dropped_with_its_mark():
    configuration = with_constraint({"own": "x"}, "big", "id > 5", is_validated=False)

    assert without_constraint(configuration, "BIG") == {"own": "x"}
    assert without_constraint({"own": "x"}, "nope") == {"own": "x"}
