"""CREATE TABLE ... LIKE with a Delta table on either side, as a CREATE TABLE that Spark can run."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

import msgspec
from pyspark.sql import SparkSession

from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.create_like import template_of
from puredelta.frontend.catalog.lookup import look_up
from puredelta.frontend.catalog.staging import LIKE
from puredelta.frontend.sql.statements.statement import Statement, Target, target_of
from puredelta.frontend.sql.tokens import Tokens
from puredelta.frontend.sql_text import columns, dotted, literal, properties
from puredelta.schema.column_path import quoted

_WORD = re.compile(r"-?\w[\w.]*")


class CreateLikeStatement(Statement, frozen=True, kw_only=True, tag="createLike"):
    """CREATE TABLE [IF NOT EXISTS] t LIKE s [USING f] [TBLPROPERTIES (...)] [LOCATION p].

    Attributes:
        source: the table or view to be like.
        if_not_exists: an existing table stays as it is.
        provider: the format; None where the statement does not say it.
        properties: table properties.
        location: where the table is to lie; None where the statement does not say it.
    """

    begins: ClassVar[tuple[str, ...]] = ("CREATE",)
    source: Target
    if_not_exists: bool = False
    provider: str | None = None
    properties: dict[str, str] = msgspec.field(default_factory=dict)
    location: str | None = None

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement; Spark has it too, with more clauses, and reads what is read here not.

        Raises:
            DeltaParseError: DELTA_PARSING_ILLEGAL_TABLE_NAME.
        """
        if not tokens.take("CREATE", "TABLE"):
            return None
        if_not_exists = tokens.take("IF", "NOT", "EXISTS")
        name = tokens.name()
        source = tokens.name() if tokens.take("LIKE") else ()
        if not name or not source:
            return None
        clauses = _clauses(tokens)
        if clauses is None or not tokens.is_at_end():
            return None
        target, like = target_of(name), target_of(source)
        return cls(target=target, source=like, if_not_exists=if_not_exists, **clauses)

    def resolve(self) -> str | None:
        """Return a CREATE TABLE with the same outcome; None if neither table is a Delta table.

        Raises:
            AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND for a source that does not exist.
            DeltaAnalysisError: TABLE_OR_VIEW_ALREADY_EXISTS, DELTA_MISSING_DELTA_TABLE.
        """
        session = active_session()
        into_delta = (self.provider or "").lower() == "delta"
        source = look_up(session, self.source.name)
        from_delta = source is not None and source.table is not None
        if not into_delta and not from_delta:
            return None
        if not self.if_not_exists:
            _refuse_taken(session, self.target)
        if self.provider is None or into_delta:
            marked = {**self.properties, LIKE: json.dumps(self.source.name)}
            return self._create("", "delta", properties(marked))
        return self._create_other(session, self.provider)

    def _create_other(self, session: SparkSession, provider: str) -> str:
        """Return the statement for a table of another format with the columns of a Delta table."""
        partitioned = template_of(session, self.source.name).partition_columns
        schema = session.table(dotted(self.source.name)).schema
        clauses = [properties(self.properties)]
        if partitioned:
            clauses.append(f"PARTITIONED BY ({', '.join(map(quoted, partitioned))})")
        return self._create(columns(session, schema), provider, *clauses)

    def _create(self, listed: str, provider: str, *clauses: str) -> str:
        exists = "IF NOT EXISTS " if self.if_not_exists else ""
        location = "" if self.location is None else f"LOCATION {literal(self.location)}"
        head = f"CREATE TABLE {exists}{dotted(self.target.name)} {listed} USING {quoted(provider)}"
        return " ".join([head, *clauses, location])


def _clauses(tokens: Tokens) -> dict[str, Any] | None:
    """Read USING, TBLPROPERTIES and LOCATION, each at most once; None for another clause."""
    found: dict[str, Any] = {}
    while not tokens.is_at_end():
        value: str | dict[str, str] | None = None
        if tokens.take("USING"):
            name, value = "provider", tokens.word()
        elif tokens.take("TBLPROPERTIES", "("):
            name, value = "properties", _properties(tokens)
        elif tokens.take("LOCATION"):
            name, value = "location", tokens.string()
        if value is None or name in found:
            return None
        found[name] = value
    return found


def _properties(tokens: Tokens) -> dict[str, str] | None:
    found: dict[str, str] = {}
    while True:
        key = ".".join(tokens.name()) or tokens.string()
        tokens.take("=")
        value = tokens.string()
        value = tokens.match(_WORD) if value is None else value
        if key is None or value is None:
            return None
        found[key] = value
        if tokens.take(")"):
            return found
        if not tokens.take(","):
            return None


def _refuse_taken(session: SparkSession, target: Target) -> None:
    existing = look_up(session, target.name)
    if existing is None:
        return
    if existing.table is not None or existing.provider is not None or existing.is_view:
        name = ".".join(target.name)
        raise DeltaAnalysisError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=name)
