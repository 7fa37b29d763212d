"""The methods of `DeltaTable` that clone a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import SparkSession

from puredelta.commands.clone import CloneTable, CloneTarget, DeltaVersion
from puredelta.commands.create.create import CREATE, CREATE_OR_REPLACE
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import context_of
from puredelta.engine.session.paths import is_absolute
from puredelta.errors.classes import (
    DeltaIllegalArgumentError,
    DeltaParseError,
)
from puredelta.frontend.catalog.lookup import parse_name
from puredelta.frontend.catalog.time_travel import NEWEST, TimeTravel, from_options
from puredelta.frontend.clone import clone_target
from puredelta.maintenance.clone.report import ClonePreview

_PARTS_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class CloneArguments:
    """What a call of `clone` gives.

    Attributes:
        target: the name or the absolute path of the clone.
        is_shallow: must be True.
        replace: may a table without rows be replaced?
        properties: table properties of the clone.
        version: which version is cloned; None for another way to say it.
        timestamp: as of when; likewise.

    Raises:
        ValueError: an argument of another type.
    """

    target: str
    is_shallow: bool
    replace: bool
    properties: Mapping[str, str] | None
    version: int | None = None
    timestamp: str | None = None

    def __post_init__(self) -> None:
        _check("target", self.target, str)
        _check("isShallow", self.is_shallow, bool)
        _check("replace", self.replace, bool)
        _check("properties", {} if self.properties is None else self.properties, dict)
        for key, value in (self.properties or {}).items():
            _check("a property's key", key, str)
            _check("a property's value", value, str)

    def at_version(self, version: int) -> CloneArguments:
        """Return the arguments for a clone of a version.

        Raises:
            ValueError: the version is no int.
        """
        _check("version", version, int)
        return replace(self, version=version)

    def at_timestamp(self, timestamp: str) -> CloneArguments:
        """Return the arguments for a clone of the table as it was at a time.

        Raises:
            ValueError: the time is no str.
        """
        _check("timestamp", timestamp, str)
        return replace(self, timestamp=timestamp)


def clone(session: SparkSession, table: TableRef, given: CloneArguments) -> TableRef:
    """Make a clone, and return it; see `DeltaTable.clone`."""
    with shown():
        command = _command(session, table, given)
        command.run(context_of(session))
        return command.target.table


def preview(session: SparkSession, table: TableRef, given: CloneArguments) -> ClonePreview:
    """Report what a clone would be; see `DeltaTable.clone`."""
    with shown():
        return _command(session, table, given).preview(context_of(session))


def _command(session: SparkSession, table: TableRef, given: CloneArguments) -> CloneTable:
    if not given.is_shallow:
        raise DeltaIllegalArgumentError("DELTA_UNSUPPORTED_DEEP_CLONE")
    target = _target(session, given.target)
    snapshot = _travel(session, given).of(table, session)
    return CloneTable(
        target=target,
        source=DeltaVersion(table=table, snapshot=snapshot),
        mode=CREATE_OR_REPLACE if given.replace else CREATE,
        properties=given.properties or {},
    )


def _target(session: SparkSession, text: str) -> CloneTarget:
    if not text:
        raise DeltaIllegalArgumentError("DELTA_INVALID_CLONE_PATH", path=text)
    name = ["delta", text] if is_absolute(text) else parse_name(session, text)
    if len(name) > _PARTS_AT_MOST:
        raise DeltaParseError("DELTA_PARSING_ILLEGAL_TABLE_NAME", tableName=text)
    return clone_target(context_of(session), name, None)


def _travel(session: SparkSession, given: CloneArguments) -> TimeTravel:
    if given.version is not None:
        return TimeTravel(version=given.version)
    if given.timestamp is not None:
        return from_options({"timestampasof": given.timestamp}, session)
    return NEWEST


def _check(name: str, value: Any, kind: type) -> None:
    is_flag = isinstance(value, bool) and kind is not bool
    if not isinstance(value, kind) or is_flag:
        raise ValueError(f"{name} needs to be a {kind.__name__} but got '{type(value)}'.")
