"""REORG TABLE, read from its text."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.lexer import parts_of
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.reorg import ReorgStatement
from puredelta.frontend.sql.statements.statement import Target


@pytest.mark.parametrize(
    ("text", "table", "condition"),
    [
        ("REORG TABLE t APPLY (PURGE)", "t", None),
        ("reorg table a.b.`c d` apply(purge) ;", "a.b.`c d`", None),
        ("REORG TABLE delta.`/a b` APPLY ( PURGE ) -- done", "delta.`/a b`", None),
        ("-- now\nREORG/**/TABLE`t`APPLY(PURGE);", "`t`", None),
        ("REORG TABLE t WHERE p = 'x' APPLY (PURGE)", "t", "p = 'x'"),
        ("REORG TABLE t WHERE(p = 1)APPLY(PURGE)", "t", "(p = 1)"),
        (
            "REORG TABLE t WHERE p = ' APPLY (PURGE)' /* not p APPLY (PURGE) */ APPLY (PURGE)",
            "t",
            "p = ' APPLY (PURGE)'",
        ),
        ("REORG TABLE t WHERE apply = 1 APPLY (PURGE)", "t", "apply = 1"),
        ("REORG TABLE t WHERE f(apply (purge)) APPLY (PURGE)", "t", "f(apply (purge))"),
        ("REORG TABLE apply WHERE `apply` APPLY (PURGE)", "apply", "`apply`"),
    ],
)
def test_statement_is_read(text, table, condition):
    target = Target(name=parts_of(table))
    assert read_statement(text) == ReorgStatement(target=target, condition=condition)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 -- REORG TABLE t APPLY (PURGE)",
        "REORG t APPLY (PURGE)",
        "REORGTABLE t APPLY (PURGE)",
        "REORG TABLES t APPLY (PURGE)",
    ],
)
def test_other_texts_are_left(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("REORG TABLE", "(the end)"),
        ("REORG TABLE t", "(the end)"),
        ("REORG TABLE 't' APPLY (PURGE)", "'t' APPLY (PURGE)"),
        ("REORG TABLE t APPLY (VACUUM)", "APPLY (VACUUM)"),
        ("REORG TABLE t APPLY PURGE", "APPLY PURGE"),
        ("REORG TABLE t APPLY (PURGE) more", "APPLY (PURGE) more"),
        ("REORG TABLE t APPLY (PURGE) WHERE p = 1", "APPLY (PURGE) WHERE p = 1"),
        ("REORG TABLE t WHERE p = 1", "p = 1"),
        ("REORG TABLE t WHERE APPLY (PURGE)", "APPLY (PURGE)"),
        ("REORG TABLE t WHERE -- all\n APPLY (PURGE)", "-- all\n APPLY (PURGE)"),
        ("REORG TABLE APPLY (PURGE)", "(PURGE)"),
        ("REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))", None),
    ],
)
def test_what_is_wrong_is_shown(text, context):
    with pytest.raises(DeltaParseError) as caught:
        read_statement(text)

    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    if context is not None:
        assert caught.value.parameters["context"] == context


def test_statement_survives_the_adapters():
    text = "REORG TABLE a.b WHERE p = 1 APPLY (PURGE)"
    statement = read_statement(text)

    assert statement is not None
    assert decode_statement(encode_statement(statement, text)) == statement
    assert (statement.target, statement.condition) == (Target(name=("a", "b")), "p = 1")
    assert statement.schema.names == ["path", "metrics"]


def test_name_of_too_many_parts_is_refused():
    with pytest.raises(DeltaParseError) as caught:
        read_statement("REORG TABLE a.b.c.d APPLY (PURGE)")

    assert caught.value.condition == "DELTA_PARSING_ILLEGAL_TABLE_NAME"
