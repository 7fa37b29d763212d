"""DROP FEATURE in its forms, and texts that are no statements of ours."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.statements.drop_feature import DropFeatureStatement
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target


def drop(*name, feature="f", truncates=False):
    return DropFeatureStatement(
        target=Target(name=name), feature=feature, truncates_history=truncates
    )


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("ALTER TABLE t DROP FEATURE f", drop("t")),
        ("alter table a.b.t drop feature 'f' ;", drop("a", "b", "t")),
        ("ALTER TABLE t DROP FEATURE `f` TRUNCATE HISTORY", drop("t", truncates=True)),
        ('ALTER TABLE delta.`/a b` DROP FEATURE "f"', drop("delta", "/a b")),
        ("/* why */ ALTER TABLE -- which\n t /**/ DROP FEATURE f", drop("t")),
        ("ALTER TABLE drop DROP FEATURE feature", drop("drop", feature="feature")),
        ("ALTER TABLE t DROP FEATURE truncate", drop("t", feature="truncate")),
    ],
)
def test_drop_feature_in_its_forms(text, statement):
    assert read_statement(text) == statement
    assert decode_statement(encode_statement(statement, text)) == statement


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t DROP FEATURE",
        "ALTER TABLE t DROP FEATURE a b",
        "ALTER TABLE t DROP FEATURE a TRUNCATE",
        "ALTER TABLE t DROP FEATURE a-b",
    ],
)
def test_drop_feature_that_is_not_in_the_grammar_says_where(text):
    with pytest.raises(DeltaParseError, match="DROP FEATURE cannot be read at line 1"):
        read_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t DROP COLUMN feature",
        "ALTER TABLE t SET TBLPROPERTIES ('a' = 't DROP FEATURE b')",
        "SELECT 'ALTER TABLE t DROP FEATURE f'",
        "DESCRIBE history",
        "DESCRIBE t",
        "DESCRIBE history.t",
        "DESC detail;",
        "ALTER TABLE 't' DROP FEATURE f",
    ],
)
def test_other_statements_are_left_to_spark(text):
    assert read_statement(text) is None


@pytest.mark.parametrize("text", ["DESCRIBE HISTORY a.b.c.d", "CREATE TABLE a.b.c.d LIKE s"])
def test_a_name_of_too_many_parts_is_told(text):
    with pytest.raises(DeltaParseError) as raised:
        read_statement(text)

    assert raised.value.condition == "DELTA_PARSING_ILLEGAL_TABLE_NAME"
