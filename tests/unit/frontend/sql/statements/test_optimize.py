"""OPTIMIZE, read from its text."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.statements.optimize import OptimizeStatement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target

T = Target(name=("t",))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("OPTIMIZE t", OptimizeStatement(target=T)),
        ("  optimize`t` ;", OptimizeStatement(target=T)),
        ("OPTIMIZE '/a b'", OptimizeStatement(target=Target(path="/a b"))),
        ("OPTIMIZE delta.`/a b`", OptimizeStatement(target=Target(name=("delta", "/a b")))),
        ("OPTIMIZE t FULL", OptimizeStatement(target=T, is_full=True)),
        ("OPTIMIZE full", OptimizeStatement(target=Target(name=("full",)))),
        ("OPTIMIZE t WHERE p = ';' ;", OptimizeStatement(target=T, condition="p = ';'")),
        ("OPTIMIZE t WHERE p = 1 -- all", OptimizeStatement(target=T, condition="p = 1")),
        ("OPTIMIZE t WHERE zorder = 1", OptimizeStatement(target=T, condition="zorder = 1")),
        ("OPTIMIZE t ZORDER BY a, b.c", OptimizeStatement(target=T, z_order=("a", "b.c"))),
        (
            "OPTIMIZE t WHERE p = 1 ZORDER BY (`x y`)",
            OptimizeStatement(target=T, condition="p = 1", z_order=("`x y`",)),
        ),
    ],
)
def test_statement_is_read_and_carried(text, read):
    assert read_statement(text) == read
    assert decode_statement(encode_statement(read, text)) == read


@pytest.mark.parametrize("text", ["OPTIMIZED t", "SELECT 'OPTIMIZE t'", "-- OPTIMIZE t"])
def test_other_texts_are_left(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("OPTIMIZE", "(the end)"),
        ("OPTIMIZE t more", "more"),
        ("OPTIMIZE TABLE t", "t"),
        ("OPTIMIZE t WHERE", "(the end)"),
        ("OPTIMIZE t WHERE ZORDER BY (a)", "ZORDER BY (a)"),
        ("OPTIMIZE t ZORDER", "ZORDER"),
        ("OPTIMIZE t ZORDER BY ()", ")"),
        ("OPTIMIZE t ZORDER BY (a,)", ")"),
        ("OPTIMIZE t ZORDER BY (a", "(the end)"),
        ("OPTIMIZE t ZORDER BY (a) WHERE true", "WHERE true"),
    ],
)
def test_what_cannot_be_read_is_shown(text, context):
    with pytest.raises(DeltaParseError) as caught:
        read_statement(text)

    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    assert caught.value.parameters["context"] == context
