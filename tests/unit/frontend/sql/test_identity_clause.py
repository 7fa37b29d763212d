"""SYNC IDENTITY told from other texts."""

import pytest

from puredelta.frontend.sql.identity_clause import synced_identity
from puredelta.frontend.sql.parser import parse, statement_of


@pytest.mark.parametrize(
    ("text", "table", "column"),
    [
        ("ALTER TABLE t ALTER COLUMN id SYNC IDENTITY", "t", ("id",)),
        ("alter table a.b change `x y` sync /* now */ identity ;", "a.b", ("x y",)),
        ("ALTER TABLE delta.`/p` ALTER s.a SYNC IDENTITY -- end", "delta.`/p`", ("s", "a")),
        ("ALTER TABLE t ALTER COLUMN COLUMN SYNC IDENTITY", "t", ("COLUMN",)),
    ],
)
def test_statement_is_read(text, table, column):
    assert synced_identity(text) == (table, column)


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
    assert synced_identity(text) is None


def test_statement_survives_the_adapters():
    statement = parse("ALTER TABLE a.b ALTER COLUMN c.d SYNC IDENTITY")

    assert statement is not None
    assert statement_of(statement.to_json()) == statement
    assert (statement.kind, statement.column) == ("syncIdentity", ("c", "d"))
