"""Clauses of MERGE as values."""

from typing import Any

import pytest

from puredelta.commands.merge.request import (
    DeleteClause,
    InsertClause,
    MergeClauses,
    UpdateClause,
    check_clauses,
    without_condition,
)
from puredelta.errors.classes import DeltaAnalysisError

# A condition is not looked into here.
ASKED: Any = object()


@pytest.mark.parametrize(
    ("clauses", "takes"),
    [
        (MergeClauses(not_matched=(InsertClause(),)), True),
        (MergeClauses(matched=(DeleteClause(),)), True),
        (MergeClauses(matched=(DeleteClause(),), by_source=(UpdateClause(),)), True),
        (MergeClauses(matched=(DeleteClause(condition=ASKED),)), False),
        (MergeClauses(matched=(DeleteClause(condition=ASKED), DeleteClause())), False),
        (MergeClauses(matched=(UpdateClause(),)), False),
    ],
)
def test_only_one_delete_of_all_takes_several_matches(clauses, takes):
    assert clauses.takes_many is takes


def test_inserts_alone_leave_the_target_as_it_is():
    assert MergeClauses(not_matched=(InsertClause(),)).inserts_only
    assert not MergeClauses(not_matched=(InsertClause(),), by_source=(DeleteClause(),)).inserts_only


def test_clause_without_condition_hides_those_behind_it():
    assert without_condition((DeleteClause(), UpdateClause(condition=ASKED)))
    assert not without_condition((DeleteClause(condition=ASKED), UpdateClause()))


@pytest.mark.parametrize(
    ("clauses", "condition"),
    [
        (MergeClauses(), "DELTA_MERGE_MISSING_WHEN"),
        (
            MergeClauses(matched=(DeleteClause(), UpdateClause())),
            "DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
        ),
        (
            MergeClauses(not_matched=(InsertClause(), InsertClause())),
            "DELTA_NON_LAST_NOT_MATCHED_CLAUSE_OMIT_CONDITION",
        ),
        (
            MergeClauses(by_source=(DeleteClause(), UpdateClause())),
            "DELTA_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
        ),
    ],
)
def test_clauses_that_cannot_be_are_refused(clauses, condition):
    with pytest.raises(DeltaAnalysisError) as caught:
        check_clauses(clauses)

    assert caught.value.condition == condition
