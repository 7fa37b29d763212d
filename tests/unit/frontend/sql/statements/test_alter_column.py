"""ALTER COLUMN ... SYNC IDENTITY and types of nested texts, read from their texts."""

import pytest

from puredelta.frontend.sql.lexer import parts_of
from puredelta.frontend.sql.statements.alter_column import (
    NestedText,
    NestedTextsStatement,
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


TEXTS = {
    "ALTER COLUMN a.b TYPE STRING": [(("a", "b"), "STRING")],
    "change a . `b c` type string;": [(("a", "b c"), "STRING")],
    "ALTER column.b TYPE STRING": [(("column", "b"), "STRING")],
    "ALTER COLUMN a.element TYPE VARCHAR(10)": [(("a", "element"), "VARCHAR(10)")],
    "ALTER COLUMN m.key TYPE character ( 10 )": [(("m", "key"), "CHARACTER( 10 )")],
    "ALTER COLUMN c TYPE VARCHAR(3), s.c TYPE CHAR(3)": [
        (("c",), "VARCHAR(3)"),
        (("s", "c"), "CHAR(3)"),
    ],
    "CHANGE s.c C VARCHAR(3)": [(("s", "c"), "VARCHAR(3)")],
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_of_other_lengths_are_read(text):
    columns = tuple(NestedText(column=column, kind=kind) for column, kind in TEXTS[text])

    found = read_statement(f"ALTER TABLE t {text}")

    assert found == NestedTextsStatement(target=Target(name=("t",)), columns=columns)
    assert decode_statement(encode_statement(found, text)) == found


def test_comment_and_position_are_read():
    text = "ALTER TABLE t CHANGE COLUMN s.c c VARCHAR(3) COMMENT 'it''s' AFTER `x y`"
    other = "ALTER TABLE t CHANGE COLUMN s.c c VARCHAR(3) COMMENT 'new' AFTER `x y`"

    found = read_statement(other)

    assert isinstance(found, NestedTextsStatement)
    assert (found.columns[0].comment, found.columns[0].position) == ("new", "AFTER `x y`")
    # Two strings in a row are one to Spark, which reads this statement.
    assert read_statement(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "ALTER COLUMN a.b TYPE STRING COMMENT 'c'",
        "ALTER COLUMN a.b TYPE STRING COLLATE UNICODE",
        "ALTER COLUMN a.b TYPE INT",
        "ALTER COLUMN a.b TYPE VARCHAR",
        "ALTER COLUMN a.b TYPE VARCHAR(x)",
        "ALTER COLUMN a.b TYPE STRING, c TYPE INT",
        "ALTER COLUMN a.b TYPE STRING, c",
        "CHANGE COLUMN a.b c STRING",
    ],
)
def test_other_changes_of_types_are_left_to_spark(text):
    assert read_statement(f"ALTER TABLE t {text}") is None
