"""ALTER COLUMN ... SYNC IDENTITY and TYPE STRING, read from their texts."""

import pytest

from puredelta.frontend.sql.lexer import parts_of
from puredelta.frontend.sql.statements.alter_column import (
    StringColumnStatement,
    SyncIdentityStatement,
)
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


@pytest.mark.parametrize(
    ("text", "table", "column"),
    [
        ("ALTER TABLE t ALTER COLUMN id SYNC IDENTITY", "t", ("id",)),
        ("alter table a.b change `x y` sync /* now */ identity ;", "a.b", ("x y",)),
        ("ALTER TABLE delta.`/p` ALTER s.a SYNC IDENTITY -- end", "delta.`/p`", ("s", "a")),
        ("ALTER TABLE t ALTER COLUMN COLUMN SYNC IDENTITY", "t", ("COLUMN",)),
        ("ALTER TABLE t ALTER COLUMN SYNC IDENTITY", "t", ("COLUMN",)),
        ("ALTER TABLE t ALTER column.a SYNC IDENTITY", "t", ("column", "a")),
    ],
)
def test_statement_is_read(text, table, column):
    target = Target(name=parts_of(table))
    assert read_statement(text) == SyncIdentityStatement(target=target, column=column)


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t ALTER COLUMN id SYNC",
        "ALTER TABLE t ALTER COLUMN id SYNC IDENTITY FIRST",
        "ALTER TABLE t ADD COLUMN id SYNC IDENTITY",
        "SELECT 1 -- ALTER TABLE t ALTER COLUMN id SYNC IDENTITY",
    ],
)
def test_other_texts_are_left(text):
    assert read_statement(text) is None


def test_statement_survives_the_adapters():
    text = "ALTER TABLE a.b ALTER COLUMN c.d SYNC IDENTITY"
    statement = read_statement(text)

    assert statement is not None
    assert decode_statement(encode_statement(statement, text)) == statement
    assert statement.column == ("c", "d")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("ALTER TABLE t ALTER COLUMN a.b TYPE STRING", ("a", "b")),
        ("alter table t change a . `b c` type string;", ("a", "b c")),
        ("ALTER TABLE t ALTER column.b TYPE STRING", ("column", "b")),
    ],
)
def test_nested_column_that_becomes_a_string_is_read(text, column):
    target = Target(name=("t",))

    assert read_statement(text) == StringColumnStatement(target=target, column=column)


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t ALTER COLUMN a TYPE STRING",
        "ALTER TABLE t ALTER COLUMN a.b TYPE STRING COMMENT 'c'",
        "ALTER TABLE t ALTER COLUMN a.b TYPE INT",
    ],
)
def test_other_changes_of_types_are_left_to_spark(text):
    assert read_statement(text) is None
