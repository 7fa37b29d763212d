"""Text -> a Delta statement, or None when it is Spark's."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput
from lark.exceptions import VisitError
from pyspark.sql.types import StructType

from puredelta.commands.describe import DETAIL, HISTORY
from puredelta.commands.reorg.metrics import RESULT
from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.sql.constraint_clause import ConstraintClause, constraint_clause
from puredelta.frontend.sql.convert_clause import CONVERT, ConvertClause, convert_clause
from puredelta.frontend.sql.identity_clause import SYNC, synced_identity
from puredelta.frontend.sql.lexer import (
    GAP,
    STRING,
    TABLE,
    parts_of,
    unquoted,
)
from puredelta.frontend.sql.reorg_clause import REORG, reorg_clause
from puredelta.frontend.sql.rewrite.alter_column import STRING_COLUMN, nested_string

# Tells most of Spark's statements from ours without running the grammar.
_BEGINS = re.compile(
    rf"{GAP}*(?:"
    rf"(?:DESC|DESCRIBE){GAP}+(?P<what>HISTORY|DETAIL)\b(?!\s*(?:;|$))"
    rf"|(?P<like>CREATE{GAP}+TABLE{GAP}+(?:IF{GAP}+NOT{GAP}+EXISTS{GAP}+)?{TABLE}{GAP}+LIKE\b)"
    rf"|ALTER{GAP}+TABLE{GAP}+{TABLE}{GAP}+DROP{GAP}+FEATURE\b)",
    re.IGNORECASE | re.DOTALL,
)
_EVOLVES = re.compile(
    rf"(?P<insert>{GAP}*INSERT){GAP}+WITH{GAP}+SCHEMA{GAP}+EVOLUTION"
    rf"(?P<verb>{GAP}+(?:INTO|OVERWRITE)(?:{GAP}+TABLE)?){GAP}+"
    rf"(?!IDENTIFIER{GAP}*\()(?P<table>{TABLE})",
    re.IGNORECASE | re.DOTALL,
)
_TO_DIRECTORY = re.compile(
    rf"{GAP}*INSERT{GAP}+OVERWRITE{GAP}+(?:LOCAL{GAP}+)?DIRECTORY\b{GAP}*"
    rf"(?:{STRING}{GAP}*)?USING{GAP}+`?delta\b",
    re.IGNORECASE | re.DOTALL,
)
_OPTIONS = re.compile(rf"{GAP}*WITH{GAP}*\(", re.IGNORECASE | re.DOTALL)
MERGE_SCHEMA = "mergeSchema"
_PARTS_AT_MOST = 3
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[01][0-7]{2}|.)", re.DOTALL)
# As Spark reads strings; a pattern of LIKE keeps the backslash of what it escapes.
_MEANT = {
    "0": "\0",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "Z": "\x1a",
    "%": r"\%",
    "_": r"\_",
}
_CODE_DIGITS = 3
_COLUMNS = {"history": HISTORY, "detail": DETAIL, REORG: RESULT}
_NO_COLUMNS = StructType([])


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a statement is about: a name of one to three parts, or a path."""

    name: tuple[str, ...] = ()
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Like:
    """What CREATE TABLE LIKE says besides the table's name.

    Attributes:
        source: the table or view to be like.
        if_not_exists: leave a table that is there as it is.
        provider: the format; None where it is not said.
        properties: table properties.
        location: where the table is to lie; None where it is not said.
    """

    source: Target
    if_not_exists: bool = False
    provider: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    location: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A Delta statement.

    Attributes:
        kind: `history`, `detail`, `dropFeature`, `createLike`, `syncIdentity`, `convert`, `reorg`,
            `stringColumn`, or that of the constraint clause.
        target: its table.
        limit: of DESCRIBE HISTORY.
        feature: of DROP FEATURE.
        truncates: DROP FEATURE ... TRUNCATE HISTORY.
        like: the rest of CREATE TABLE LIKE.
        constraint: what ADD, DROP and VALIDATE CONSTRAINT say.
        column: of SYNC IDENTITY, and the nested one that becomes a STRING.
        convert: what CONVERT TO DELTA says besides the target.
        condition: of REORG TABLE: which partitions, in SQL; None for all.
    """

    kind: str
    target: Target
    limit: int | None = None
    feature: str = ""
    truncates: bool = False
    like: Like | None = None
    constraint: ConstraintClause | None = None
    column: tuple[str, ...] = ()
    convert: ConvertClause | None = None
    condition: str | None = None

    @property
    def schema(self) -> StructType:
        """The columns of its result."""
        return _COLUMNS.get(self.kind, _NO_COLUMNS)

    def to_json(self) -> dict[str, Any]:
        """Return the statement as the adapters carry it."""
        return asdict(self)


def parse(text: str) -> Statement | None:
    """Read a Delta statement; None when the text is for Spark's parser.

    Raises:
        DeltaParseError: PARSE_SYNTAX_ERROR, DELTA_PARSING_ILLEGAL_TABLE_NAME.
    """
    constraint = constraint_clause(text)
    if constraint is not None:
        table, clause = constraint
        return Statement(kind=clause.kind, target=Target(name=parts_of(table)), constraint=clause)
    synced = synced_identity(text)
    if synced is not None:
        table, column = synced
        return Statement(kind=SYNC, target=Target(name=parts_of(table)), column=column)
    to_string = nested_string(text)
    if to_string is not None:
        table, column = to_string
        return Statement(kind=STRING_COLUMN, target=Target(name=parts_of(table)), column=column)
    converted = convert_clause(text)
    if converted is not None:
        table, clauses = converted
        return Statement(kind=CONVERT, target=_named_by(parts_of(table)), convert=clauses)
    reorganised = reorg_clause(text)
    if reorganised is not None:
        table, condition = reorganised
        return Statement(kind=REORG, target=_named_by(parts_of(table)), condition=condition)
    found = _BEGINS.match(text)
    if found is None:
        return None
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        if found["like"]:
            return None  # Spark has this statement too, with more clauses.
        raise DeltaParseError(
            "PARSE_SYNTAX_ERROR",
            statement=f"DESCRIBE {found['what'].upper()}" if found["what"] else "DROP FEATURE",
            line=error.line,
            column=error.column,
            context=error.get_context(text).rstrip(),
            form="a table's name, delta.`/path` or '/path'",
        ) from error
    try:
        statement: Statement | None = _Values().transform(tree)
    except VisitError as error:
        raise error.orig_exc from error
    return statement


def statement_of(values: dict[str, Any]) -> Statement:
    """Read a statement that came back from the adapters; they show its text in plans."""
    values = {name: value for name, value in values.items() if name != "text"}
    like = values["like"]
    if like is not None:
        like = Like(**{**like, "source": _target(like["source"])})
    clause = values["constraint"]
    constraint = None if clause is None else ConstraintClause(**clause)
    convert = values["convert"]
    parts = {
        "target": _target(values["target"]),
        "like": like,
        "constraint": constraint,
        "convert": None if convert is None else ConvertClause(**convert),
    }
    return Statement(**{**values, **parts, "column": tuple(values["column"])})


def evolving_insert(text: str) -> tuple[Target, str] | None:
    """Read INSERT WITH SCHEMA EVOLUTION; None for any other text.

    Returns:
        The table, and the statement as each Spark can read it: the clause said as an option.
    """
    found = _EVOLVES.match(text)
    if found is None:
        return None
    parts = parts_of(found["table"])
    begin = f"{found['insert']}{found['verb']} {found['table']} WITH ("
    option = f"'{MERGE_SCHEMA}' = 'true'"
    given = _OPTIONS.match(text, found.end())
    if given is not None:
        return Target(name=parts), f"{begin}{option}, {text[given.end() :]}"
    return Target(name=parts), f"{begin}{option}) {text[found.end() :].lstrip()}"


def writes_a_directory(text: str) -> bool:
    """Say whether a text is INSERT OVERWRITE DIRECTORY USING delta, which there is not."""
    return _TO_DIRECTORY.match(text) is not None


def _target(values: dict[str, Any]) -> Target:
    return Target(name=tuple(values["name"]), path=values["path"])


def _named_by(parts: tuple[str, ...]) -> Target:
    if len(parts) > _PARTS_AT_MOST:
        raise DeltaParseError("DELTA_PARSING_ILLEGAL_TABLE_NAME", tableName=".".join(parts))
    return Target(name=parts)


def _content(text: str) -> str:
    """Return what a string says, or a bare word."""
    return _string(text) if text[0] in "'\"" else text


def _string(text: str) -> str:
    """Return what a string between quotes means."""
    return _ESCAPED.sub(lambda found: _character(found[1]), text[1:-1])


def _character(escape: str) -> str:
    """Return what stands for the text after a backslash."""
    if escape[0] in "uU" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    if len(escape) == _CODE_DIGITS:
        return chr(int(escape, 8))
    return _MEANT.get(escape, escape)


@cache
def _grammar() -> Lark:
    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr")


class _Values(Transformer[Token, Any]):
    """The parse tree as values."""

    def start(self, children: list[Any]) -> Statement | None:
        statement: Statement | None = children[0]
        return statement

    def history(self, children: list[Any]) -> Statement:
        limit = int(children[1]) if len(children) > 1 else None
        return Statement(kind="history", target=children[0], limit=limit)

    def detail(self, children: list[Any]) -> Statement:
        return Statement(kind="detail", target=children[0])

    def drop_feature(self, children: list[Any]) -> Statement:
        target, feature, truncate = children
        truncates = truncate is not None
        return Statement(kind="dropFeature", target=target, feature=feature, truncates=truncates)

    def feature(self, children: list[Any]) -> str:
        return _content(str(children[0]))

    def create_like(self, children: list[Any]) -> Statement | None:
        exists, target, source, *clauses = children
        said = dict(clauses)
        if len(said) < len(clauses):
            return None  # a clause twice: Spark says so
        like = Like(source=source, if_not_exists=exists is not None, **said)
        return Statement(kind="createLike", target=target, like=like)

    def if_not_exists(self, _children: list[Any]) -> bool:
        return True

    def provider(self, children: list[Any]) -> tuple[str, str]:
        return "provider", str(children[0])

    def properties(self, children: list[Any]) -> tuple[str, dict[str, str]]:
        return "properties", dict(children)

    def property(self, children: list[Any]) -> tuple[str, str]:
        key, value = children
        return str(key), str(value)

    def key(self, children: list[Any]) -> str:
        return ".".join(_content(str(part)) for part in children)

    def value(self, children: list[Any]) -> str:
        return _content(str(children[0]))

    def location(self, children: list[Any]) -> tuple[str, str]:
        return "location", _content(str(children[0]))

    def target(self, children: list[Any]) -> Target:
        target: Target = children[0]
        return target

    def name(self, children: list[Any]) -> Target:
        return _named_by(tuple(children))

    def path(self, children: list[Any]) -> Target:
        return Target(path="".join(_string(str(text)) for text in children))

    def identifier(self, children: list[Any]) -> str:
        return unquoted(str(children[0]))
