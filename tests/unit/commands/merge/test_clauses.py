"""Clauses of MERGE as values."""

from typing import Any

import pytest

from puredelta.commands.merge.clauses import Clauses, Delete, Insert, Update, without_condition
from puredelta.commands.merge.resolved_clauses import check_clauses
from puredelta.errors.classes import DeltaAnalysisError

# A condition is not looked into here.
ASKED: Any = object()


@pytest.mark.parametrize(
    ("clauses", "takes"),
    [
        (Clauses(not_matched=(Insert(),)), True),
        (Clauses(matched=(Delete(),)), True),
        (Clauses(matched=(Delete(),), by_source=(Update(),)), True),
        (Clauses(matched=(Delete(condition=ASKED),)), False),
        (Clauses(matched=(Delete(condition=ASKED), Delete())), False),
        (Clauses(matched=(Update(),)), False),
    ],
)
def test_only_one_delete_of_all_takes_several_matches(clauses, takes):
    assert clauses.takes_many is takes


def test_inserts_alone_leave_the_target_as_it_is():
    assert Clauses(not_matched=(Insert(),)).inserts_only
    assert not Clauses(not_matched=(Insert(),), by_source=(Delete(),)).inserts_only


def test_clause_without_condition_hides_those_behind_it():
    assert without_condition((Delete(), Update(condition=ASKED)))
    assert not without_condition((Delete(condition=ASKED), Update()))


@pytest.mark.parametrize(
    ("clauses", "condition"),
    [
        (Clauses(), "DELTA_MERGE_MISSING_WHEN"),
        (Clauses(matched=(Delete(), Update())), "DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION"),
        (
            Clauses(not_matched=(Insert(), Insert())),
            "DELTA_NON_LAST_NOT_MATCHED_CLAUSE_OMIT_CONDITION",
        ),
        (
            Clauses(by_source=(Delete(), Update())),
            "DELTA_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
        ),
    ],
)
def test_clauses_that_cannot_be_are_refused(clauses, condition):
    with pytest.raises(DeltaAnalysisError) as caught:
        check_clauses(clauses)

    assert caught.value.condition == condition
