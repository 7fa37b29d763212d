"""The description of a table by SET and UNSET TBLPROPERTIES, on tables in memory."""

import pytest

from puredelta.commands.alter.properties import SetProperties, UnsetProperties
from tests.unit.commands.alter.test_drop_feature import context, table

SPELLINGS = ["comment", "COMMENT", "Comment"]


def described(key="comment"):
    target = table([])
    SetProperties(table=target, properties={key: "of things", "mine": "1"}).run(context())
    return target


@pytest.mark.parametrize("key", SPELLINGS)
def test_comment_that_is_set_in_any_case_is_the_description(key):
    after = described(key).log().latest()

    assert after.metadata.description == "of things"
    assert after.configuration == {"mine": "1"}


@pytest.mark.parametrize("key", SPELLINGS)
def test_comment_that_is_unset_in_any_case_takes_the_description_away(key):
    after = UnsetProperties(table=described(), keys=[key]).run(context())

    assert after.metadata.description is None
    assert after.configuration == {"mine": "1"}


def test_description_stays_when_another_property_is_unset():
    after = UnsetProperties(table=described(), keys=["mine"]).run(context())

    assert after.metadata.description == "of things"
    assert after.configuration == {}
