"""ALTER TABLE ... ADD, DROP and VALIDATE CONSTRAINT, read from their text on every Spark."""

import re
from dataclasses import dataclass

from puredelta.frontend.sql.lexer import (
    GAP,
    NAME,
    TABLE,
    closed,
    unquoted,
    without_comments,
)

ADD, DROP, VALIDATE = "addConstraint", "dropConstraint", "validateConstraint"

_HEAD = re.compile(
    rf"{GAP}*ALTER{GAP}+TABLE{GAP}+(?P<table>{TABLE}){GAP}+"
    rf"(?P<verb>ADD|DROP|VALIDATE){GAP}+CONSTRAINT{GAP}+"
    rf"(?P<exists>IF{GAP}+EXISTS{GAP}+)?(?P<name>{NAME})",
    re.IGNORECASE | re.DOTALL,
)
_CHECK = re.compile(rf"{GAP}+CHECK{GAP}*(?=\()", re.IGNORECASE | re.DOTALL)
_NOT_VALID = re.compile(rf"{GAP}*NOT{GAP}+VALID\b", re.IGNORECASE | re.DOTALL)
_END = re.compile(rf"{GAP}*;?{GAP}*\Z", re.DOTALL)
_KINDS = {"ADD": ADD, "DROP": DROP, "VALIDATE": VALIDATE}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintClause:
    """What a statement says of a constraint.

    Attributes:
        kind: ADD, DROP or VALIDATE.
        name: the constraint's.
        expression: of ADD: the condition as it was written, without comments.
        if_exists: DROP CONSTRAINT IF EXISTS.
        not_valid: ADD ... NOT VALID.
    """

    kind: str
    name: str
    expression: str = ""
    if_exists: bool = False
    not_valid: bool = False


def constraint_clause(text: str) -> tuple[str, ConstraintClause] | None:
    """Read a statement about a constraint.

    Returns:
        The text of the table's name, and the clause; None for all other texts, those among them
        that say more of a constraint than Delta knows, such as RELY or PRIMARY KEY.
    """
    head = _HEAD.match(text)
    if head is None:
        return None
    kind = _KINDS[head["verb"].upper()]
    name, if_exists = unquoted(head["name"]), head["exists"] is not None
    if if_exists and kind != DROP:
        return None
    if kind == ADD:
        clause = _added(text, name, head.end())
    elif _END.match(text, head.end()):
        clause = ConstraintClause(kind=kind, name=name, if_exists=if_exists)
    else:
        clause = None
    return None if clause is None else (head["table"], clause)


def _added(text: str, name: str, start: int) -> ConstraintClause | None:
    check = _CHECK.match(text, start)
    end = None if check is None else closed(text, check.end())
    if check is None or end is None:
        return None
    mark = _NOT_VALID.match(text, end + 1)
    expression = without_comments(text[check.end() + 1 : end])
    if not expression or not _END.match(text, end + 1 if mark is None else mark.end()):
        return None
    return ConstraintClause(kind=ADD, name=name, expression=expression, not_valid=mark is not None)
