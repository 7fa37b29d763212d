"""RESTORE TABLE, read from its text."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.lexer import parts_of
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.restore import RestoreStatement
from puredelta.frontend.sql.statements.statement import Target


@pytest.mark.parametrize(
    ("text", "table", "version", "timestamp"),
    [
        ("RESTORE t TO VERSION AS OF 1", "t", 1, None),
        ("restore table a.b.`c d` version as of 12 ;", "a.b.`c d`", 12, None),
        ("RESTORE TABLE delta.`/a b` TO VERSION AS OF 0 -- back", "delta.`/a b`", 0, None),
        ("-- now\nRESTORE/**/TABLE`t`TO VERSION AS OF 3;", "`t`", 3, None),
        ("RESTORE t FOR SYSTEM_VERSION AS OF 2", "t", 2, None),
        ("RESTORE t TO VERSION AS OF '7'", "t", 7, None),
        ("RESTORE TABLE t TO TIMESTAMP AS OF '2024-01-02'", "t", None, "2024-01-02"),
        ('RESTORE t SYSTEM_TIME AS OF "2024-01-02 03:04"', "t", None, "2024-01-02 03:04"),
        ("RESTORE table TO VERSION AS OF 1", "table", 1, None),
        ("RESTORE table VERSION AS OF 1", "table", 1, None),
    ],
)
def test_statement_is_read(text, table, version, timestamp):
    target = Target(name=parts_of(table))
    wanted = RestoreStatement(target=target, version=version, timestamp=timestamp)
    assert read_statement(text) == wanted


@pytest.mark.parametrize("text", ["SELECT 1 -- RESTORE t VERSION AS OF 1", "RESTORED t", ""])
def test_other_texts_are_left(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "RESTORE",
        "RESTORE t",
        "RESTORE TABLE",
        "RESTORE 't' TO VERSION AS OF 1",
        "RESTORE t TO VERSION AS OF",
        "RESTORE t TO VERSION AS OF -1",
        "RESTORE t TO VERSION AS OF 1.5",
        "RESTORE t TO VERSION AS OF 'one'",
        "RESTORE t TO VERSION AS OF 1 2",
        "RESTORE t TO TIMESTAMP AS OF now()",
        "RESTORE t TO 1",
    ],
)
def test_what_cannot_be_read(text):
    with pytest.raises(DeltaParseError) as refused:
        read_statement(text)

    assert refused.value.condition == "PARSE_SYNTAX_ERROR"
    assert refused.value.parameters["statement"] == "RESTORE"


def test_statement_crosses_as_json():
    statement = RestoreStatement(target=Target(name=("t",)), timestamp="2024-01-02")

    assert decode_statement(encode_statement(statement, "RESTORE ...")) == statement
