"""Which columns of its source the clauses of a MERGE WITH SCHEMA EVOLUTION name."""

import pytest
from pyspark.sql import Column
from pyspark.sql.types import StructType

from puredelta.commands.merge.prepare import assigned_columns
from puredelta.commands.merge.request import (
    ClauseAssignment,
    DeleteClause,
    InsertClause,
    MergeClauses,
    UpdateClause,
)

TARGET = StructType().add("id", "integer").add("st", StructType().add("a", "integer"))


def assigning(*paths: str) -> UpdateClause:
    # What is assigned does not matter here.
    value: Column = None  # type: ignore[assignment]
    return UpdateClause(
        assignments=tuple(ClauseAssignment(tuple(path.split(".")), value) for path in paths)
    )


def assigned(clauses: MergeClauses) -> list[tuple[str, ...] | None]:
    return list(assigned_columns(clauses, TARGET, ("s", "t")))


@pytest.mark.parametrize(
    "star", [MergeClauses(matched=(UpdateClause(),)), MergeClauses(not_matched=(InsertClause(),))]
)
def test_star_stands_for_all_of_the_source(star):
    assert assigned(star) == [None]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("ID", ("id",)),
        ("t.ST.a", ("st", "a")),
        ("s.t.extra", ("extra",)),
        ("extra", ("extra",)),
        ("st.new", ("st", "new")),
    ],
)
def test_assignments_name_columns_without_the_table(given, path):
    assert assigned(MergeClauses(matched=(assigning(given),))) == [path]


def test_clauses_are_gone_through_in_order():
    clauses = MergeClauses(
        matched=(assigning("b", "a"), UpdateClause()), not_matched=(assigning("c"),)
    )

    assert assigned(clauses) == [("b",), ("a",), None, ("c",)]


def test_rows_without_a_match_in_the_source_take_up_nothing():
    assert assigned(MergeClauses(matched=(DeleteClause(),), by_source=(assigning("extra"),))) == []
