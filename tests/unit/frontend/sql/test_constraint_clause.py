"""ADD, DROP and VALIDATE CONSTRAINT are read from their text."""

import pytest

from puredelta.frontend.sql.constraint_clause import (
    ADD,
    DROP,
    VALIDATE,
    constraint_clause,
)
from puredelta.frontend.sql.parser import parse, statement_of


def test_add_keeps_the_condition_as_written():
    table, clause = constraint_clause(
        "ALTER TABLE a.b ADD CONSTRAINT Big CHECK (id>5 AND f( ')' ))"
    )

    assert table == "a.b"
    assert (clause.kind, clause.name, clause.expression) == (ADD, "Big", "id>5 AND f( ')' )")
    assert not clause.not_valid


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("id > 1 -- small\n OR id = 7", "id > 1   \n OR id = 7"),
        ("id > 1 /* ) */ AND s = '--'", "id > 1   AND s = '--'"),
        ("s = r'\\' OR s = \"it's (\"", "s = r'\\' OR s = \"it's (\""),
        ("`a)b` > 1", "`a)b` > 1"),
        ("((id > 2))", "((id > 2))"),
    ],
)
def test_comments_go_and_strings_stay(text, expression):
    _, clause = constraint_clause(f"alter table t add constraint c check ({text});")

    assert clause.expression.split() == expression.split()


def test_not_valid_is_told():
    _, clause = constraint_clause("ALTER TABLE t ADD CONSTRAINT `a b` CHECK (x) NOT  VALID")

    assert (clause.name, clause.not_valid) == ("a b", True)


def test_drop_and_validate():
    _, drop = constraint_clause("ALTER TABLE t DROP CONSTRAINT IF EXISTS c")
    _, plain = constraint_clause("ALTER TABLE t DROP CONSTRAINT c -- gone")
    _, validate = constraint_clause("ALTER TABLE t VALIDATE CONSTRAINT c")

    assert (drop.kind, drop.if_exists) == (DROP, True)
    assert (plain.kind, plain.if_exists) == (DROP, False)
    assert (validate.kind, validate.name) == (VALIDATE, "c")


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (id)",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0) ENFORCED",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0",
        "ALTER TABLE t ADD CONSTRAINT c CHECK ()",
        "ALTER TABLE t ADD CONSTRAINT CHECK (id > 0)",
        "ALTER TABLE t ADD CONSTRAINT a.b CHECK (id > 0)",
        "ALTER TABLE t ADD CONSTRAINT IF EXISTS c CHECK (id > 0)",
        "ALTER TABLE t ADD CHECK (id > 0)",
        "ALTER TABLE t DROP CONSTRAINT c CASCADE",
        "ALTER TABLE t ADD COLUMN c INT",
    ],
)
def test_what_delta_does_not_know_is_left_to_spark(text):
    assert constraint_clause(text) is None


def test_statement_goes_through_the_adapters():
    statement = parse("ALTER TABLE delta.`/x` ADD CONSTRAINT c CHECK (id > 0) NOT VALID")

    assert statement.target.name == ("delta", "/x")
    assert statement_of(statement.to_json()) == statement
