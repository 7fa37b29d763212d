"""GENERATED clauses of CREATE and REPLACE TABLE, expressed as a property of the table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from puredelta.frontend.catalog.column_metadata import (
    Metadata,
    as_property,
    generated_always,
    identity,
)
from puredelta.frontend.sql.lexer import GAP, closed, without_comments
from puredelta.frontend.sql.rewrite.column_list import (
    ColumnList,
    Item,
    RewrittenClauses,
    behind_blanks,
    depths,
    name_at,
)
from puredelta.table.columns.nested_definitions import refused_inside

CLAUSE = re.compile(
    rf"GENERATED{GAP}+(?:ALWAYS{GAP}+AS{GAP}*(?=\()"
    rf"|(?:ALWAYS|(?P<default>BY{GAP}+DEFAULT)){GAP}+AS{GAP}+(?P<identity>IDENTITY)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""The beginning of a clause, up to the parenthesis of an expression."""

_OPTIONS = re.compile(
    rf"(?:{GAP}*(?:START{GAP}+WITH{GAP}*(?P<start>(?:-{GAP}*)?\d+)L?\b"
    rf"|INCREMENT{GAP}+BY{GAP}*(?P<step>(?:-{GAP}*)?\d+)L?\b)){{0,2}}{GAP}*",
    re.IGNORECASE | re.DOTALL,
)
# Identity values are BIGINTs, and Spark's parser refuses a start or a step outside of their range.
_LONGS = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class _GenerationClause:
    start: int
    end: int
    metadata: Metadata


class _Spark(Exception):  # noqa: N818
    """A clause is wrong, which Spark's parser reports."""


def created_columns(listed: ColumnList) -> RewrittenClauses | None:
    """Read the GENERATED clauses of a list of columns.

    Returns:
        The clauses; None where Spark's parser reports an error, as for a clause given twice.

    Raises:
        DeltaAnalysisError: PUREDELTA_GENERATED_COLUMN_IN_STRUCT, PUREDELTA_IDENTITY_IN_STRUCT.
    """
    spans: list[tuple[int, int]] = []
    columns: dict[str, Metadata] = {}
    try:
        for item in listed.items():
            clauses = list(_of_item(listed.text, item))
            spans += [(clause.start, clause.end) for clause in clauses]
            columns[item.column] = _metadata(item, clauses)
    except _Spark:
        return None
    return RewrittenClauses(spans=tuple(spans), properties=as_property(columns))


def _metadata(item: Item, clauses: list[_GenerationClause]) -> Metadata:
    if clauses and not item.column:
        raise _Spark
    found: dict[str, object] = {}
    for clause in clauses:
        if found.keys() & clause.metadata.keys():
            raise _Spark
        found |= clause.metadata
    return found


def _of_item(text: str, item: Item) -> Iterator[_GenerationClause]:
    past, is_generated, has_default = item.past_name, False, False
    field = item.past_name
    for position, depth, piece in depths(text, item.past_name, item.end):
        # The expression of a clause may contain the words of another one.
        if position < past:
            continue
        # The innermost field of a struct begins behind the last `<` or comma; an error names it.
        field = position + 1 if piece in {"<", ","} else field
        found = _clause(text, position)
        if found is not None and depth:
            raise refused_inside(item.column, name_at(text, field), found.metadata)
        if found is not None:
            yield found
            past, is_generated = found.end, True
        has_default |= depth == 0 and piece.upper() == "DEFAULT"
    if is_generated and has_default:
        raise _Spark


def _clause(text: str, start: int) -> _GenerationClause | None:
    """Read a clause that begins at a position."""
    found = CLAUSE.match(text, start)
    if found is None:
        return None
    if found["identity"] is not None:
        return _identity(text, found)
    end = closed(text, found.end())
    if end is None:
        raise _Spark
    expression = without_comments(text[found.end() + 1 : end])
    return _GenerationClause(start, end + 1, generated_always(expression))


def _identity(text: str, found: re.Match[str]) -> _GenerationClause:
    by_default = found["default"] is not None
    opens = behind_blanks(text, found.end())
    if text[opens : opens + 1] != "(":
        return _GenerationClause(found.start(), found.end(), identity(1, 1, by_default=by_default))
    end = closed(text, opens)
    options = None if end is None else _OPTIONS.fullmatch(text, opens + 1, end)
    if end is None or options is None or _repeats_option(text[opens:end]):
        raise _Spark
    start, step = _number(options["start"]), _number(options["step"])
    return _GenerationClause(found.start(), end + 1, identity(start, step, by_default=by_default))


def _repeats_option(options: str) -> bool:
    # The pattern accepts the same option twice, and its group would contain the second value.
    words = without_comments(options).upper()
    return words.count("START") > 1 or words.count("INCREMENT") > 1


def _number(text: str | None) -> int:
    number = 1 if text is None else int("".join(without_comments(text).split()))
    if number not in _LONGS:
        raise _Spark
    return number
