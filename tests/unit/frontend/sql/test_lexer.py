"""The smallest pieces of SQL text."""

import time

import pytest

from puredelta.frontend.sql.lexer import (
    closed,
    lexemes,
    parts_of,
    without_comments,
)
from puredelta.frontend.sql.statements.registry import read_statement


def test_strings_names_and_comments_stay_whole():
    pieces = [piece for _, piece in lexemes("a.`b)`/* ' */='it\\'s -- no'--(\n)")]

    assert pieces == ["a", ".", "`b)`", " ", "=", "'it\\'s -- no'", " ", ")"]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("()", 1),
        ("(')')", 4),
        ("(/*)*/)", 6),
        ("(--)\n)", 5),
        ("(r'\\')", 5),
        ("((a)", None),
        ("a)", None),
    ],
)
def test_where_a_parenthesis_closes(text, end):
    assert closed(text, 0) == end


def test_comments_go():
    assert without_comments("-- first\n a /* b */ > '--' -- last") == "a > '--'"


def test_parts_of_a_name():
    assert parts_of("a . `b``.c` /* x */ .d") == ("a", "b`.c", "d")


@pytest.mark.parametrize("comment", ["/* a */ ", "-- --\n", " -- -- -- --\n", "/***/"])
def test_many_comments_before_a_statement_of_spark_cost_nothing(comment):
    begun = time.monotonic()

    assert read_statement(comment * 200 + "SELECT 1") is None

    assert time.monotonic() - begun < 1
