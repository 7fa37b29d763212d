"""Text -> a Delta statement, or None when it is Spark's."""

import re
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput
from pyspark.sql.types import StructType

from puredelta.commands.describe import DETAIL, HISTORY
from puredelta.errors.classes import DeltaParseError

_GAP = r"(?:\s|--[^\r\n]*|/\*.*?\*/)"
_NAME = r"(?:`(?:[^`]|``)+`|\w+)"
_TABLE = rf"{_NAME}(?:{_GAP}*\.{_GAP}*{_NAME})*"
# Tells most of Spark's statements from ours without running the grammar.
_BEGINS = re.compile(
    rf"{_GAP}*(?:"
    rf"(?:DESC|DESCRIBE){_GAP}+(?P<what>HISTORY|DETAIL)\b(?!\s*(?:;|$))"
    rf"|ALTER{_GAP}+TABLE{_GAP}+{_TABLE}{_GAP}+DROP{_GAP}+FEATURE\b)",
    re.IGNORECASE | re.DOTALL,
)
_PARTS_AT_MOST = 3
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_COLUMNS = {"history": HISTORY, "detail": DETAIL, "dropFeature": StructType([])}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a statement is about: a name of one to three parts, or a path."""

    name: tuple[str, ...] = ()
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A Delta statement.

    Attributes:
        kind: `history`, `detail` or `dropFeature`.
        target: its table.
        limit: of DESCRIBE HISTORY.
        feature: of DROP FEATURE.
        truncates: DROP FEATURE ... TRUNCATE HISTORY.
    """

    kind: str
    target: Target
    limit: int | None = None
    feature: str = ""
    truncates: bool = False

    @property
    def schema(self) -> StructType:
        """The columns of its result."""
        return _COLUMNS[self.kind]

    def to_json(self) -> dict[str, Any]:
        """Return the statement as the adapters carry it."""
        return asdict(self)


def parse(text: str) -> Statement | None:
    """Read a Delta statement; None when the text is for Spark's parser.

    Raises:
        DeltaParseError: PARSE_SYNTAX_ERROR, DELTA_PARSING_ILLEGAL_TABLE_NAME.
    """
    found = _BEGINS.match(text)
    if found is None:
        return None
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise DeltaParseError(
            "PARSE_SYNTAX_ERROR",
            statement=f"DESCRIBE {found['what'].upper()}" if found["what"] else "DROP FEATURE",
            line=error.line,
            column=error.column,
            context=error.get_context(text).rstrip(),
        ) from error
    statement: Statement = _Values().transform(tree)
    return statement


def statement_of(told: dict[str, Any]) -> Statement:
    """Read a statement that came back from the adapters."""
    target = Target(name=tuple(told["target"]["name"]), path=told["target"]["path"])
    return Statement(**{**told, "target": target})


@cache
def _grammar() -> Lark:
    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr")


class _Values(Transformer[Token, Any]):
    """The parse tree as values."""

    def start(self, children: list[Any]) -> Statement:
        statement: Statement = children[0]
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
        text = str(children[0])
        return _ESCAPED.sub(r"\1", text[1:-1]) if text[0] in "'\"" else text

    def target(self, children: list[Any]) -> Target:
        target: Target = children[0]
        return target

    def name(self, children: list[Any]) -> Target:
        if len(children) > _PARTS_AT_MOST:
            raise DeltaParseError("DELTA_PARSING_ILLEGAL_TABLE_NAME", tableName=".".join(children))
        return Target(name=tuple(children))

    def path(self, children: list[Any]) -> Target:
        return Target(path="".join(_ESCAPED.sub(r"\1", str(text)[1:-1]) for text in children))

    def identifier(self, children: list[Any]) -> str:
        text = str(children[0])
        return text[1:-1].replace("``", "`") if text.startswith("`") else text
