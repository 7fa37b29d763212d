"""EXPLAIN in front of a statement."""

import pytest

from puredelta.frontend.sql.explain_clause import explain_head


@pytest.mark.parametrize(
    ("text", "statement", "mode"),
    [
        ("EXPLAIN DELETE FROM t", "DELETE FROM t", "simple"),
        ("explain /* x */ Formatted\nDELETE FROM t", "DELETE FROM t", "formatted"),
        ("EXPLAIN EXTENDED CONVERT TO DELTA t", "CONVERT TO DELTA t", "extended"),
        ("-- a\nEXPLAIN COST SELECT 1", "SELECT 1", "cost"),
        ("EXPLAIN CODEGEN SELECT 1", "SELECT 1", "codegen"),
        ("EXPLAINED", "EXPLAINED", None),
        ("EXPLAIN LOGICAL DELETE FROM t", "EXPLAIN LOGICAL DELETE FROM t", None),
        ("DELETE FROM explain", "DELETE FROM explain", None),
    ],
)
def test_head_is_cut_off_and_tells_the_mode(text, statement, mode):
    head, found = explain_head(text)

    assert (text[len(head) :], found) == (statement, mode)
