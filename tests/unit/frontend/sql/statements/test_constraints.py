"""ADD, DROP and VALIDATE CONSTRAINT are read from their text."""

import pytest

from puredelta.frontend.sql.statements.constraints import (
    AddConstraint,
    DropConstraint,
    ValidateConstraint,
)
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


def test_add_keeps_the_condition_as_written():
    statement = read_statement("ALTER TABLE a.b ADD CONSTRAINT Big CHECK (id>5 AND f( ')' ))")

    assert isinstance(statement, AddConstraint)
    assert statement.target.name == ("a", "b")
    assert (statement.name, statement.expression) == ("Big", "id>5 AND f( ')' )")
    assert not statement.not_valid


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
    statement = read_statement(f"alter table t add constraint c check ({text});")

    assert statement.expression.split() == expression.split()


def test_not_valid_is_told():
    statement = read_statement("ALTER TABLE t ADD CONSTRAINT `a b` CHECK (x) NOT  VALID")

    assert (statement.name, statement.not_valid) == ("a b", True)


@pytest.mark.parametrize(
    ("text", "name", "characteristics"),
    [
        ("ADD CHECK (x)", None, ()),
        ("ADD CONSTRAINT c CHECK (x) ENFORCED", "c", ("ENFORCED",)),
        ("add check (x) norely enforced", None, ("NORELY", "ENFORCED")),
        ("ADD CONSTRAINT c CHECK (x) NOT ENFORCED RELY", "c", ("NOT", "ENFORCED", "RELY")),
    ],
)
def test_name_may_be_left_out_and_characteristics_are_read(text, name, characteristics):
    statement = read_statement(f"ALTER TABLE t {text}")

    assert (statement.name, statement.characteristics) == (name, characteristics)
    assert decode_statement(encode_statement(statement, text)) == statement


def test_drop_and_validate():
    drop = read_statement("ALTER TABLE t DROP CONSTRAINT IF EXISTS c")
    plain = read_statement("ALTER TABLE t DROP CONSTRAINT c -- gone")
    validate = read_statement("ALTER TABLE t VALIDATE CONSTRAINT c")

    target = Target(name=("t",))
    assert drop == DropConstraint(target=target, name="c", if_exists=True)
    assert plain == DropConstraint(target=target, name="c")
    assert read_statement("ALTER TABLE t DROP CONSTRAINT c CASCADE") == plain
    assert validate == ValidateConstraint(target=target, name="c")


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (id)",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0) ENFORCED NULL",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0",
        "ALTER TABLE t ADD CONSTRAINT c CHECK ()",
        "ALTER TABLE t ADD CONSTRAINT CHECK (id > 0)",
        "ALTER TABLE t ADD CONSTRAINT a.b CHECK (id > 0)",
        "ALTER TABLE t ADD CONSTRAINT IF EXISTS c CHECK (id > 0)",
        "ALTER TABLE t ADD CHECK id > 0",
        "ALTER TABLE t DROP CONSTRAINT c CASCADE c",
        "ALTER TABLE t ADD COLUMN c INT",
    ],
)
def test_what_delta_does_not_know_is_left_to_spark(text):
    assert read_statement(text) is None


def test_statement_goes_through_the_adapters():
    text = "ALTER TABLE delta.`/x` ADD CONSTRAINT c CHECK (id > 0) NOT VALID"
    statement = read_statement(text)

    assert statement.target.name == ("delta", "/x")
    assert decode_statement(encode_statement(statement, text)) == statement
