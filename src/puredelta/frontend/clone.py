"""SHALLOW CLONE, as a statement or a call: from names to the tables that are meant."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from puredelta.commands.clone import CloneTarget, DeltaVersion, FilesOfOthers
from puredelta.commands.convert.catalog_table import target_of_entry
from puredelta.commands.table_ref import TableRef
from puredelta.conversion.source_table import ICEBERG, PARQUET, target_at
from puredelta.engine.session.context import Context
from puredelta.engine.session.paths import hadoop_path, is_absolute, path_exists
from puredelta.engine.session.session_catalog import SESSION_CATALOG, default_location, entry_of
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaTableNotFoundError,
    DeltaUnsupportedOperationError,
)
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, is_path_name, look_up
from puredelta.frontend.catalog.time_travel import TimeTravel, from_path
from puredelta.schema.column_path import quoted

_WITH_CATALOG = 3
_WITH_DATABASE = 2
_OTHER_FORMATS = frozenset({"avro", "binaryfile", "csv", "hudi", "json", "orc", "text", "xml"})


def clone_target(context: Context, name: Sequence[str], location: str | None) -> CloneTarget:
    """Say where a clone is to lie.

    Args:
        context: the session.
        name: the parts of the target's name, or ``delta.`/path` ``.
        location: what LOCATION says; None without it.

    Raises:
        DeltaIllegalArgumentError: DELTA_CLONE_AMBIGUOUS_TARGET.
        DeltaAnalysisError: DELTA_ONLY_OPERATION for a view, SCHEMA_NOT_FOUND,
            DELTA_TABLE_LOCATION_MISMATCH.
        DeltaUnsupportedOperationError: PUREDELTA_CLONE_OTHER_CATALOG.
    """
    session = context.session
    if is_path_name(name):
        return _at_path(session, name[1], location)
    place = None if location is None else hadoop_path(session, location)
    found = look_up(session, name)
    if found is not None:
        return _known_target(session, name, found, place)
    database, table = _entry_name(session, name)
    is_managed = place is None
    if place is None:
        place = default_location(session, database, table)
    return CloneTarget(
        table=TableRef(root=place, name=f"{SESSION_CATALOG}.{database}.{table}"),
        entry=(database, table),
        is_managed=is_managed,
    )


def clone_source(
    context: Context, name: Sequence[str], travel: TimeTravel
) -> DeltaVersion | FilesOfOthers:
    """Say what is cloned.

    Args:
        context: the session.
        name: the parts of the source's name: a table, or a format and a path.
        travel: which version of it.

    Raises:
        AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND.
        DeltaAnalysisError: DELTA_CLONE_UNSUPPORTED_SOURCE, DELTA_MISSING_DELTA_TABLE,
            PATH_NOT_FOUND for a relative path where nothing is, and what `TimeTravel.of` raises.
        DeltaUnsupportedOperationError: PUREDELTA_CLONE_NO_VERSIONS.
    """
    session = context.session
    label = ".".join(map(quoted, name))
    if is_path_name(name):
        return _delta_at_path(session, name[1], travel)
    source = _files_at_path(session, name) or _named_source(session, name, travel)
    if isinstance(source, FilesOfOthers) and travel:
        raise DeltaUnsupportedOperationError("PUREDELTA_CLONE_NO_VERSIONS", name=label)
    return source


def _at_path(session: SparkSession, path: str, location: str | None) -> CloneTarget:
    root = hadoop_path(session, path)
    if location is not None and hadoop_path(session, location) != root:
        raise DeltaIllegalArgumentError(
            "DELTA_CLONE_AMBIGUOUS_TARGET", externalLocation=location, targetIdentifier=path
        )
    return CloneTarget(table=TableRef(root=root))


def _known_target(
    session: SparkSession, name: Sequence[str], found: ResolvedName, place: str | None
) -> CloneTarget:
    if found.is_view:
        raise DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="CLONE")
    entry = _entry_name(session, name)
    if found.table is None:
        table = TableRef(root=found.location or "", name=found.name)
        return CloneTarget(table=table, entry=entry, is_known=True, provider=found.provider)
    if place is not None and place != found.table.root:
        raise DeltaAnalysisError(
            "DELTA_TABLE_LOCATION_MISMATCH",
            tableName=found.table.label,
            existingTableLocation=found.table.root,
            tableLocation=place,
        )
    return CloneTarget(table=found.table, entry=entry, is_known=True)


def _entry_name(session: SparkSession, name: Sequence[str]) -> tuple[str, str]:
    """Return the database and the table that a name means in the session catalog."""
    catalog = session.catalog.currentCatalog()
    if len(name) == _WITH_CATALOG:
        catalog, name = name[0], name[1:]
    if catalog.lower() != SESSION_CATALOG:
        raise DeltaUnsupportedOperationError(
            "PUREDELTA_CLONE_OTHER_CATALOG", catalog=catalog, tableName=".".join(name)
        )
    database = name[0] if len(name) == _WITH_DATABASE else session.catalog.currentDatabase()
    if not session.catalog.databaseExists(database):
        raise DeltaAnalysisError("SCHEMA_NOT_FOUND", schemaName=quoted(database))
    return database, name[-1]


def _delta_at_path(session: SparkSession, text: str, travel: TimeTravel) -> DeltaVersion:
    path, in_path = from_path(text, session)
    table = TableRef(root=hadoop_path(session, path))
    if not table.log().exists():
        raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=table.label)
    return DeltaVersion(table=table, snapshot=(travel or in_path).of(table, session))


def _files_at_path(session: SparkSession, name: Sequence[str]) -> FilesOfOthers | None:
    if len(name) != _WITH_DATABASE or session.catalog.databaseExists(name[0]):
        return None
    provider, path = name[0].lower(), name[1]
    if provider in _OTHER_FORMATS:
        label = ".".join(map(quoted, name))
        raise DeltaAnalysisError("DELTA_CLONE_UNSUPPORTED_SOURCE", name=label, format="Unknown")
    if provider not in (PARQUET, ICEBERG):
        return None
    if not path:
        raise DeltaTableNotFoundError("PATH_NOT_FOUND", path=path)
    # A relative path begins in the folder that Spark works in, as for CONVERT TO DELTA.
    root = hadoop_path(session, path)
    if not is_absolute(path) and not path_exists(session, root):
        raise DeltaTableNotFoundError("PATH_NOT_FOUND", path=root)
    return FilesOfOthers(target=target_at(provider, root, label=f"{provider}.`{root}`"))


def _named_source(
    session: SparkSession, name: Sequence[str], travel: TimeTravel
) -> DeltaVersion | FilesOfOthers:
    found = find_by_name(session, name)
    if found.table is not None:
        return DeltaVersion(table=found.table, snapshot=travel.of(found.table, session))
    if found.is_view:
        raise DeltaAnalysisError("DELTA_CLONE_UNSUPPORTED_SOURCE", name=found.name, format="View")
    entry = entry_of(session, name[-2:])
    label = f"{SESSION_CATALOG}.{entry.database}.{entry.table}"
    target = target_of_entry(entry, label)
    if target.provider not in (PARQUET, ICEBERG):
        raise DeltaAnalysisError("DELTA_CLONE_UNSUPPORTED_SOURCE", name=label, format="Unknown")
    return FilesOfOthers(target=target, entry=entry)
