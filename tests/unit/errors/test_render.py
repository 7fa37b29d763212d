"""The catalogue of conditions: looking up and filling in."""

import pytest

from puredelta.errors.render import (
    ConditionText,
    UnknownConditionError,
    catalogue,
    lookup,
    render,
)


def test_places_are_filled():
    assert render("DELTA_TIMESTAMP_INVALID", {"expr": "'{x}'"}).startswith(
        "The timestamp '{x}' cannot be understood."
    )


def test_unknown_condition_is_a_fault_of_ours():
    with pytest.raises(UnknownConditionError, match="DELTA_NO_SUCH_CONDITION"):
        lookup("DELTA_NO_SUCH_CONDITION")


def test_missing_parameter_is_named():
    with pytest.raises(UnknownConditionError, match="expr"):
        render("DELTA_TIMESTAMP_INVALID", {})


def test_places_are_the_named_ones():
    text = ConditionText("00000", "{a} and {b_2}, not {} nor {c d}")

    assert text.places == {"a", "b_2"}


def test_subclass_has_the_text_of_both():
    found = {name: text for name, text in catalogue().items() if "." in name}

    assert found
    for name, text in found.items():
        main = lookup(name.partition(".")[0])
        assert text.message.startswith(main.message)
