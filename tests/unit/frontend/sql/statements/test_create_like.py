"""CREATE TABLE LIKE, read from its text."""

import pytest

from puredelta.frontend.sql.statements.create_like import CreateLikeStatement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


def like(*name, source, **said):
    return CreateLikeStatement(target=Target(name=name), source=Target(name=source), **said)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("CREATE TABLE t LIKE s", like("t", source=("s",))),
        ("create table a.b like c.d ;", like("a", "b", source=("c", "d"))),
        (
            "CREATE TABLE IF NOT EXISTS t LIKE delta.`/a b` USING `delta`",
            like("t", source=("delta", "/a b"), if_not_exists=True, provider="delta"),
        ),
        (
            "CREATE TABLE t LIKE s LOCATION '/x\\'y' USING parquet",
            like("t", source=("s",), location="/x'y", provider="parquet"),
        ),
        (
            "CREATE TABLE t LIKE s TBLPROPERTIES ('a'='b', c.d = 1.5, e \"f\", 'g' true)",
            like("t", source=("s",), properties={"a": "b", "c.d": "1.5", "e": "f", "g": "true"}),
        ),
        ("/* why */ CREATE TABLE like -- t\n LIKE if", like("like", source=("if",))),
    ],
)
def test_create_like_in_its_forms(text, statement):
    assert read_statement(text) == statement
    assert decode_statement(encode_statement(statement, text)) == statement


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t LIKE s STORED AS parquet",
        "CREATE TABLE t LIKE s USING delta USING delta",
        "CREATE TABLE t LIKE s COMMENT 'c'",
        "CREATE TABLE t LIKE",
        "CREATE OR REPLACE TABLE t LIKE s",
        "CREATE TABLE liked (like INT) USING delta",
        "CREATE TABLE t USING delta AS SELECT 'x' LIKE 'y'",
    ],
)
def test_other_forms_of_create_are_left_to_spark(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r"one\ntwo\tthree", "one\ntwo\tthree"),
        (r"it\'s \"so\"", 'it\'s "so"'),
        (r"a\\b\q", r"a\bq"),
        (r"\u00e9\U0001F600\101", "é😀A"),
        (r"10\%\_", r"10\%\_"),
    ],
)
def test_strings_mean_what_they_mean_to_spark(text, meant):
    found = read_statement(f"CREATE TABLE a LIKE b TBLPROPERTIES ('k' = '{text}')")

    assert found.properties == {"k": meant}
