"""CREATE TABLE ... SHALLOW CLONE, CREATE OR REPLACE TABLE and REPLACE TABLE likewise."""

from __future__ import annotations

import re
from typing import ClassVar

import msgspec
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.commands.clone import CloneTable
from puredelta.commands.create.create import CREATE, CREATE_OR_REPLACE, REPLACE
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.catalog.time_travel import NEWEST, TimeTravel, from_options
from puredelta.frontend.clone import clone_source, clone_target
from puredelta.frontend.sql.statements.statement import (
    NO_ROWS,
    Rows,
    Statement,
    Target,
    target_of,
)
from puredelta.frontend.sql.tokens import Tokens, syntax_error

RESULT = StructType(
    [
        StructField(name, LongType())
        for name in (
            "source_table_size",
            "source_num_of_files",
            "num_removed_files",
            "num_copied_files",
            "removed_files_size",
            "copied_files_size",
        )
    ]
)
"""The columns of the result."""

_HEADERS = {
    ("CREATE", "OR", "REPLACE", "TABLE"): CREATE_OR_REPLACE,
    ("CREATE", "TABLE"): CREATE,
    ("REPLACE", "TABLE"): REPLACE,
}
_VERSION = ("VERSION", "SYSTEM_VERSION")
_TIMESTAMP = ("TIMESTAMP", "SYSTEM_TIME")
_NUMBER = re.compile(r"\d+")
_VALUE = re.compile(r"-?\w[\w.]*")
_FORM = (
    "the name of the source, VERSION AS OF n or TIMESTAMP AS OF 'time' if need be, then"
    " TBLPROPERTIES (...), then LOCATION 'path'"
)


class CloneStatement(Statement, frozen=True, kw_only=True, tag="clone"):
    """CREATE TABLE t SHALLOW CLONE s [VERSION AS OF n] [TBLPROPERTIES (...)] [LOCATION p].

    Attributes:
        source: what is cloned.
        mode: create, replace or createOrReplace.
        if_not_exists: an existing table stays as it is.
        version: which version of the source; None where the statement does not say it.
        timestamp: as of when; None where the statement does not say it.
        properties: table properties.
        location: where the clone is to lie; None where the statement does not say it.
    """

    begins: ClassVar[tuple[str, ...]] = ("CREATE", "REPLACE")
    schema: ClassVar[StructType] = RESULT
    source: Target
    mode: str = CREATE
    if_not_exists: bool = False
    version: str | None = None
    timestamp: str | None = None
    properties: dict[str, str] = msgspec.field(default_factory=dict)
    location: str | None = None

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        mode = next((mode for words, mode in _HEADERS.items() if tokens.take(*words)), None)
        if mode is None:
            return None
        if_not_exists = mode == CREATE and tokens.take("IF", "NOT", "EXISTS")
        name = tokens.name()
        if not name:
            return None
        begin = tokens.place
        if not tokens.take("SHALLOW", "CLONE"):
            # Deep clones are no statement of Delta Lake, and it is worth saying what is.
            if tokens.take("DEEP", "CLONE") or tokens.take("CLONE"):
                raise _not_read(tokens, begin)
            return None
        source = tokens.name()
        if not source:
            raise _not_read(tokens)
        version, timestamp = _travel(tokens)
        properties = _properties(tokens) if tokens.take("TBLPROPERTIES") else {}
        location = _string(tokens) if tokens.take("LOCATION") else None
        if not tokens.is_at_end():
            raise _not_read(tokens)
        return cls(
            target=target_of(name),
            source=target_of(source),
            mode=mode,
            if_not_exists=if_not_exists,
            version=version,
            timestamp=timestamp,
            properties=properties,
            location=location,
        )

    def run(self, context: Context) -> Rows:
        """Make the clone, and report how much the source has."""
        target = clone_target(context, self.target.name, self.location)
        metrics = CloneTable(
            target=target,
            source=clone_source(context, self.source.name, self._travel(context)),
            mode=self.mode,
            if_not_exists=self.if_not_exists,
            properties=self.properties,
        ).run(context)
        return NO_ROWS if metrics is None else [metrics.row()]

    def _travel(self, context: Context) -> TimeTravel:
        if self.version is not None:
            return from_options({"versionasof": self.version}, context.session)
        if self.timestamp is not None:
            return from_options({"timestampasof": self.timestamp}, context.session)
        return NEWEST


def _travel(tokens: Tokens) -> tuple[str | None, str | None]:
    """Read VERSION AS OF n or TIMESTAMP AS OF 'time'; nothing where neither comes next."""
    tokens.take("FOR")
    if any(tokens.take(word, "AS", "OF") for word in _VERSION):
        quoted = tokens.string()
        version = tokens.match(_NUMBER) if quoted is None else quoted
        if version is None:
            raise _not_read(tokens)
        return version, None
    if any(tokens.take(word, "AS", "OF") for word in _TIMESTAMP):
        return None, _string(tokens)
    return None, None


def _properties(tokens: Tokens) -> dict[str, str]:
    found: dict[str, str] = {}
    if not tokens.take("("):
        raise _not_read(tokens)
    while True:
        key = ".".join(tokens.name()) or tokens.string()
        tokens.take("=")
        value = tokens.string()
        value = tokens.match(_VALUE) if value is None else value
        if key is None or value is None:
            raise _not_read(tokens)
        found[key] = value
        if tokens.take(")"):
            return found
        if not tokens.take(","):
            raise _not_read(tokens)


def _string(tokens: Tokens) -> str:
    found = tokens.string()
    if found is None:
        raise _not_read(tokens)
    return found


def _not_read(tokens: Tokens, place: int | None = None) -> DeltaParseError:
    place = tokens.place if place is None else place
    return syntax_error(tokens.text, place, statement="SHALLOW CLONE", form=_FORM)
