"""SHALLOW CLONE, read from its text."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.statements.clone import CloneStatement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


def statement(**clauses):
    return CloneStatement(
        target=Target(name=("c",)), **{"source": Target(name=("t",)), "mode": "create", **clauses}
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TABLE c SHALLOW CLONE t", {}),
        ("create or replace table c shallow clone t;", {"mode": "createOrReplace"}),
        ("REPLACE TABLE c SHALLOW /* not deep */ CLONE t", {"mode": "replace"}),
        ("CREATE TABLE IF NOT EXISTS c SHALLOW CLONE t", {"if_not_exists": True}),
        ("CREATE TABLE c SHALLOW CLONE t VERSION AS OF 3", {"version": "3"}),
        ("CREATE TABLE c SHALLOW CLONE t FOR SYSTEM_VERSION AS OF '3'", {"version": "3"}),
        ("CREATE TABLE c SHALLOW CLONE t TIMESTAMP AS OF '2026'", {"timestamp": "2026"}),
        ('CREATE TABLE c SHALLOW CLONE t SYSTEM_TIME AS OF "2026"', {"timestamp": "2026"}),
        (
            "CREATE TABLE c SHALLOW CLONE parquet.`/a b`TBLPROPERTIES (a.b=1,'c'='d')LOCATION '/x'",
            {
                "source": Target(name=("parquet", "/a b")),
                "properties": {"a.b": "1", "c": "d"},
                "location": "/x",
            },
        ),
    ],
)
def test_forms_are_read_and_cross_as_json(text, expected):
    found = read_statement(text)

    assert found == statement(**expected)
    assert decode_statement(encode_statement(found, text)) == found


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE c USING delta AS SELECT 1",
        "CREATE TABLE clone (shallow INT) USING delta",
        "CREATE TABLE shallow USING delta AS SELECT * FROM clone",
        "CREATE TABLE c (id INT) SHALLOW CLONE t",
        "REPLACE TABLE c (id INT) USING delta",
        "CREATE OR REPLACE TABLE IF NOT EXISTS c SHALLOW CLONE t",
        "CREATE EXTERNAL TABLE c SHALLOW CLONE t",
        "SHALLOW CLONE t",
    ],
)
def test_other_statements_are_left_to_the_other_parser(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("CREATE TABLE c CLONE t", "CLONE t"),
        ("CREATE TABLE c DEEP CLONE t", "DEEP CLONE t"),
        ("CREATE TABLE c SHALLOW CLONE", "(the end)"),
        ("CREATE TABLE c SHALLOW CLONE t VERSION AS OF -1", "-1"),
        ("CREATE TABLE c SHALLOW CLONE t TIMESTAMP AS OF 2026", "2026"),
        ("CREATE TABLE c SHALLOW CLONE t TBLPROPERTIES ()", ")"),
        ("CREATE TABLE c SHALLOW CLONE t TBLPROPERTIES ('a')", ")"),
        ("CREATE TABLE c SHALLOW CLONE t LOCATION x", "x"),
        (
            "CREATE TABLE c SHALLOW CLONE t LOCATION 'x' TBLPROPERTIES ('a'='b')",
            "TBLPROPERTIES ('a'",
        ),
    ],
)
def test_what_cannot_be_read_is_shown(text, context):
    with pytest.raises(DeltaParseError) as caught:
        read_statement(text)

    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    assert caught.value.parameters["context"].startswith(context)
    assert caught.value.parameters["statement"] == "SHALLOW CLONE"
