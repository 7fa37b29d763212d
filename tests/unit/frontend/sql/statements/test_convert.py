"""CONVERT TO DELTA, read from its text."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.lexer import parts_of
from puredelta.frontend.sql.statements.convert import ConvertStatement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


@pytest.mark.parametrize(
    ("text", "table", "clauses"),
    [
        ("CONVERT TO DELTA t", "t", {}),
        ("convert to delta parquet.`/a b` ;", "parquet.`/a b`", {}),
        ("CONVERT TO DELTA c.s.t NO STATISTICS", "c.s.t", {"statistics": False}),
        (
            "CONVERT TO DELTA parquet.`/p`NO STATISTICS",
            "parquet.`/p`",
            {"statistics": False},
        ),
        (
            "CONVERT TO DELTA t PARTITIONED BY (p INT, q DECIMAL(4, 2) COMMENT ')')",
            "t",
            {"partitions": "p INT, q DECIMAL(4, 2) COMMENT ')'"},
        ),
        (
            "-- now\nCONVERT/**/TO DELTA t NO STATISTICS PARTITIONED BY(p -- part\n INT);-- done",
            "t",
            {"statistics": False, "partitions": "p -- part\n INT"},
        ),
        ("CONVERT TO DELTA t ; -- done\n;", "t", {}),
        ("CONVERT TO DELTA`parquet`.`/p`", "`parquet`.`/p`", {}),
        ("CONVERT TO DELTA no NO STATISTICS", "no", {"statistics": False}),
        (
            "CONVERT TO DELTA partitioned PARTITIONED BY (p INT)",
            "partitioned",
            {"partitions": "p INT"},
        ),
    ],
)
def test_statement_is_read(text, table, clauses):
    target = Target(name=parts_of(table))
    assert read_statement(text) == ConvertStatement(target=target, **clauses)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 -- CONVERT TO DELTA t",
        "CONVERT TO PARQUET t",
        "CONVERT DELTA t",
        "CONVERT TO deltas",
        "EXPLAIN CONVERT TO DELTA t",
    ],
)
def test_other_texts_are_left(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("text", "column", "shown"),
    [
        ("CONVERT TO DELTA", 17, "(the end)"),
        ("CONVERT TO DELTA '/p'", 18, "'/p'"),
        ("CONVERT TO DELTA TABLE t", 24, "t"),
        ("CONVERT TO DELTA t PARTITIONED BY ()", 36, ")"),
        ("CONVERT TO DELTA t PARTITIONED BY (p INT", 35, "(p INT"),
        ("CONVERT TO DELTA t PARTITIONED BY (p INT) NO STATISTICS", 43, "NO STATISTICS"),
        ("CONVERT TO DELTA t PARTITIONED BY (p INT, q)", 43, "q)"),
        ("CONVERT TO DELTA t\nWITH STATISTICS", 1, "WITH STATISTICS"),
    ],
)
def test_what_cannot_be_read_is_shown(text, column, shown):
    with pytest.raises(DeltaParseError) as caught:
        read_statement(text)

    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    assert f"column {column}:\n{shown}\n" in str(caught.value)
    assert "PARTITIONED BY (column type, ...)" in str(caught.value)


def test_statement_survives_the_adapters():
    text = "CONVERT TO DELTA parquet.`/p` NO STATISTICS PARTITIONED BY (p INT)"
    statement = read_statement(text)

    assert statement is not None
    assert decode_statement(encode_statement(statement, text)) == statement
    assert statement.target == Target(name=("parquet", "/p"))
    assert statement.schema.names == []


def test_names_have_three_parts_at_most():
    with pytest.raises(DeltaParseError, match="DELTA_PARSING_ILLEGAL_TABLE_NAME"):
        read_statement("CONVERT TO DELTA a.b.c.d")


def test_types_that_no_partition_has_are_refused():
    with pytest.raises(DeltaParseError, match="DELTA_PARSING_UNSUPPORTED_DATA_TYPE"):
        read_statement("CONVERT TO DELTA t PARTITIONED BY (p INT, q VARIANT)")


def test_name_may_be_the_value_of_a_text():
    statement = read_statement("CONVERT TO DELTA IDENTIFIER('parquet.`/a b`') NO STATISTICS")

    assert statement.target.name == ("parquet", "/a b")
    for other in ("IDENTIFIER(:name)", "IDENTIFIER('a b')", "IDENTIFIER('a' || 'b')"):
        with pytest.raises(DeltaParseError):
            read_statement(f"CONVERT TO DELTA {other}")
