"""DESCRIBE HISTORY and DETAIL, read from their texts."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.statements.describe import DetailStatement, HistoryStatement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


def history(*name, path=None, limit=None):
    return HistoryStatement(target=Target(name=name, path=path), limit=limit)


def detail(*name, path=None):
    return DetailStatement(target=Target(name=name, path=path))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("DESCRIBE HISTORY t", history("t")),
        ("desc history a.b.`c d` limit 5 ;", history("a", "b", "c d", limit=5)),
        ("DESCRIBE HISTORY '/a b'", history(path="/a b")),
        ("DESCRIBE HISTORY '/a' \"/b\" LIMIT 1", history(path="/a/b", limit=1)),
        ("DESC DETAIL delta.`/x`", detail("delta", "/x")),
        ("DESCRIBE DETAIL '/x' -- now", detail(path="/x")),
        ("DESCRIBE DETAIL limit", detail("limit")),
    ],
)
def test_statement_is_read(text, statement):
    assert read_statement(text) == statement
    assert decode_statement(encode_statement(statement, text)) == statement


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("DESCRIBE HISTORY t LIMIT", "(the end)"),
        ("DESCRIBE HISTORY t LIMIT n", "n"),
        ("DESCRIBE HISTORY t LIMIT 5n", "5n"),
        ("DESCRIBE HISTORY t PARTITION (p = 1)", "PARTITION (p = 1)"),
        ("DESCRIBE DETAIL 5 + 5", "+ 5"),
        ("DESCRIBE DETAIL (t)", "(t)"),
    ],
)
def test_what_cannot_be_read_is_shown(text, context):
    with pytest.raises(DeltaParseError) as caught:
        read_statement(text)

    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    assert caught.value.parameters["context"] == context


def test_name_of_too_many_parts_is_refused():
    with pytest.raises(DeltaParseError) as caught:
        read_statement("DESCRIBE DETAIL a.b.c.d")

    assert caught.value.condition == "DELTA_PARSING_ILLEGAL_TABLE_NAME"
