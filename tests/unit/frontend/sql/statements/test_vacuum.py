"""VACUUM, read from its text."""

import pytest

from puredelta.errors import DeltaParseError
from puredelta.frontend.sql.statements.registry import (
    decode_statement,
    encode_statement,
    read_statement,
)
from puredelta.frontend.sql.statements.statement import Target
from puredelta.frontend.sql.statements.vacuum import VacuumStatement

T = Target(name=("t",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("VACUUM t", VacuumStatement(target=T)),
        ("vacuum a.b.`c d`;", VacuumStatement(target=Target(name=("a", "b", "c d")))),
        ("VACUUM '/a' '/b'", VacuumStatement(target=Target(path="/a/b"))),
        ("VACUUM delta.`/a b`", VacuumStatement(target=Target(name=("delta", "/a b")))),
        ("VACUUM t FULL", VacuumStatement(target=T, lite=False)),
        ("VACUUM t LITE DRY RUN", VacuumStatement(target=T, lite=True, dry_run=True)),
        ("VACUUM t RETAIN 0 HOURS", VacuumStatement(target=T, retain_hours=0)),
        ("VACUUM t RETAIN 1.5 HOURS", VacuumStatement(target=T, retain_hours=1.5)),
        ("VACUUM t RETAIN .5 HOURS", VacuumStatement(target=T, retain_hours=0.5)),
        ("VACUUM t RETAIN 1e2 HOURS", VacuumStatement(target=T, retain_hours=100)),
        ("VACUUM t RETAIN - 12 HOURS", VacuumStatement(target=T, retain_hours=-12)),
        (
            "VACUUM t DRY RUN RETAIN 12 HOURS /* now */ FULL",
            VacuumStatement(target=T, lite=False, retain_hours=12, dry_run=True),
        ),
        (
            "VACUUM t USING INVENTORY a.b DRY RUN",
            VacuumStatement(target=T, inventory_table=("a", "b"), dry_run=True),
        ),
        (
            "VACUUM t USING INVENTORY (SELECT ')' FROM (x)) FULL",
            VacuumStatement(target=T, inventory_query="SELECT ')' FROM (x)", lite=False),
        ),
        ("VACUUM dry", VacuumStatement(target=Target(name=("dry",)))),
        ("VACUUM full FULL", VacuumStatement(target=Target(name=("full",)), lite=False)),
    ],
)
def test_statement_is_read(text, expected):
    found = read_statement(text)

    assert found == expected
    assert decode_statement(encode_statement(found, text)) == expected


@pytest.mark.parametrize("text", ["SELECT 1", "VACUUMS t", "DROP TABLE vacuum", "ANALYZE vacuum"])
def test_other_texts_are_left(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("VACUUM", "(the end)"),
        ("VACUUM TABLE x", "x"),
        ("VACUUM t DRY", "DRY"),
        ("VACUUM t RETAIN HOURS", "HOURS"),
        ("VACUUM t RETAIN 1", "(the end)"),
        ("VACUUM t RETAIN '1' HOURS", "'1' HOURS"),
        ("VACUUM t RETAIN 1 DAYS", "DAYS"),
        ("VACUUM t RETAIN +1 HOURS", "+1 HOURS"),
        ("VACUUM t USING INVENTORY", "(the end)"),
        ("VACUUM t USING INVENTORY (SELECT 1", "(SELECT 1"),
        ("VACUUM t WHERE p = 1", "WHERE p = 1"),
        ("VACUUM t PARTITION (p = 1)", "PARTITION (p = 1)"),
    ],
)
def test_what_cannot_be_read_is_shown(text, context):
    with pytest.raises(DeltaParseError) as raised:
        read_statement(text)

    assert raised.value.condition == "PARSE_SYNTAX_ERROR"
    assert raised.value.parameters["context"] == context


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("VACUUM t FULL LITE", "LITE/FULL"),
        ("VACUUM t LITE LITE", "LITE/FULL"),
        ("VACUUM t RETAIN 1 HOURS RETAIN 1 HOURS", "RETAIN"),
        ("VACUUM t DRY RUN FULL DRY RUN", "DRY RUN"),
        ("VACUUM t USING INVENTORY a USING INVENTORY (SELECT 1)", "INVENTORY"),
    ],
)
def test_clause_is_given_once(text, clause):
    with pytest.raises(DeltaParseError) as raised:
        read_statement(text)

    assert raised.value.condition == "DUPLICATE_CLAUSES"
    assert raised.value.parameters == {"clauseName": clause}


def test_lite_has_no_inventory():
    with pytest.raises(DeltaParseError) as raised:
        read_statement("VACUUM t LITE USING INVENTORY a")

    assert raised.value.condition == "PUREDELTA_VACUUM_LITE_WITH_INVENTORY"
