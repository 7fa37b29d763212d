"""GENERATE, read from its text."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.lexer import parts_of
from puredelta.frontend.sql.statements.generate import GenerateStatement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


@pytest.mark.parametrize(
    ("text", "table", "mode"),
    [
        ("GENERATE symlink_format_manifest FOR TABLE t", "t", "symlink_format_manifest"),
        ("generate Other for table delta.`/a b` ;", "delta.`/a b`", "Other"),
        ("GENERATE/**/`x`FOR TABLE a.b.c -- now", "a.b.c", "x"),
    ],
)
def test_statement_is_read(text, table, mode):
    assert read_statement(text) == GenerateStatement(target=Target(name=parts_of(table)), mode=mode)


@pytest.mark.parametrize(
    "text",
    [
        "GENERATE",
        "GENERATE x t",
        "GENERATE x FOR TABLE",
        "GENERATE 'x' FOR TABLE t",
        "GENERATE x FOR TABLE 't'",
        "GENERATE x FOR TABLE t u",
    ],
)
def test_what_cannot_be_read(text):
    with pytest.raises(DeltaParseError) as refused:
        read_statement(text)

    assert refused.value.condition == "PARSE_SYNTAX_ERROR"


def test_other_texts_are_left():
    assert read_statement("GENERATED x FOR TABLE t") is None


def test_statement_crosses_as_json():
    statement = GenerateStatement(target=Target(name=("t",)), mode="x")

    assert decode_statement(encode_statement(statement, "GENERATE ...")) == statement
