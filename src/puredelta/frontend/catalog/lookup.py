"""The tables that names in Delta statements and in the Python API stand for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.classes import kind_of, static_method
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.paths import is_absolute
from puredelta.engine.session.scala import new_case_class
from puredelta.engine.session.spark_objects import frame_of_plan
from puredelta.frontend.catalog.partition_paths import table_path_of
from puredelta.frontend.catalog.table_description import table_of
from puredelta.log.snapshot import Snapshot

# Catalogs store these among a table's properties, although users do not set them there.
RESERVED = frozenset(
    {
        "provider",
        "location",
        "comment",
        "owner",
        "external",
        "is_managed_location",
        "collation",
        "path",
        "option.path",
        "table_type",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedName:
    """What a name stands for.

    Attributes:
        name: the name as the user wrote it.
        table: the Delta table it is; None for anything else.
        is_view: it is a view, temporary or not.
        provider: of a table that is not Delta, its format.
        location: likewise, where it lies.
        partition_columns: likewise.
        properties: likewise, those that users set.
        comment: likewise.
        created_ms: likewise, when the catalog made it, in milliseconds since 1970.
        read_path: what a read of it loads, of a table found by its path or that of a partition.
    """

    name: str
    table: TableRef | None = None
    is_view: bool = False
    provider: str | None = None
    location: str | None = None
    partition_columns: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    created_ms: int | None = None
    read_path: str | None = None


def find_by_path(
    session: SparkSession, path: str, options: Mapping[str, str] | None = None
) -> ResolvedName:
    """Look for a table at a path.

    Args:
        session: where it is looked for.
        path: its folder.
        options: of its file system, for this table only.

    Raises:
        DeltaAnalysisError: what TablePath.partition raises.
    """
    place = table_path_of(session, path, options)
    if place is None:
        return ResolvedName(name=path)
    # The values are not needed: a folder below a table that is no partition is refused here, not
    # when the table is first read.
    place.partition(place.table.log().latest(), session)
    return ResolvedName(name=path, table=place.table, read_path=place.path)


def find_by_name(session: SparkSession, parts: Sequence[str]) -> ResolvedName:
    """Look a name up as Spark does: temporary views first, then the catalog.

    Raises:
        AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND.
    """
    name = ".".join(parts)
    if is_path_name(parts):
        return find_by_path(session, parts[1])
    resolved = _resolved(session, parts)
    kind = kind_of(resolved)
    if kind != "ResolvedTable":
        return ResolvedName(name=name, is_view=True)
    table = resolved.table()
    if table.getClass().getName() == "puredelta.LoadedTable":
        known = table_of(ScanHandle.from_json(table.handle().toString()))
        return ResolvedName(name=known.label, table=known)
    properties = dict(table.properties())
    transforms = (reference for t in table.partitioning() for reference in t.references())
    return ResolvedName(
        name=_full_name(resolved),
        provider=properties.get("provider"),
        location=properties.get("location"),
        partition_columns=tuple(".".join(r.fieldNames()) for r in transforms),
        properties={k: v for k, v in properties.items() if not _is_reserved(k)},
        comment=properties.get("comment"),
        created_ms=_created(table),
    )


def _is_reserved(key: str) -> bool:
    return key in RESERVED or key.startswith("option.")


def _created(table: Any) -> int | None:
    """Return when the session catalog made a table; other catalogs do not say."""
    if not table.getClass().getName().endswith(".V1Table"):
        return None
    return int(table.v1Table().createTime())


def is_path_name(parts: Sequence[str]) -> bool:
    """Say whether a name is a path: ``delta.`/data/t` ``."""
    return len(parts) == 2 and parts[0].lower() == "delta" and is_absolute(parts[1])


def parse_name(session: SparkSession, text: str) -> list[str]:
    """Split a table's name into its parts.

    Raises:
        ParseException: Spark's, when it is not a name.
    """
    parts = session._jsparkSession.sessionState().sqlParser().parseMultipartIdentifier(text)
    return items_of(parts)


def _resolved(session: SparkSession, parts: Sequence[str]) -> Any:
    # Spark resolves this node to a table or to a view by its own rules for names.
    names = static_method("org.apache.spark.api.python.PythonUtils", "toSeq")(list(parts))
    name = "org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView"
    plan = new_case_class(name, names, "DESCRIBE", True)  # temporary views too
    return frame_of_plan(session, plan)._jdf.queryExecution().analyzed()


def _full_name(resolved: Any) -> str:
    identifier = resolved.identifier()
    return ".".join([resolved.catalog().name(), *identifier.namespace(), identifier.name()])


def look_up(session: SparkSession, name: Sequence[str]) -> ResolvedName | None:
    """Look a name up; None where it names nothing."""
    # PySpark would print the exception of a missing name, which is an answer here.
    try:
        with unlogged(), settled():
            return find_by_name(session, name)
    except AnalysisException:
        return None


def newest_version(session: SparkSession, name: Sequence[str]) -> Snapshot | None:
    """Return the newest version of a Delta table; None for all other names."""
    found = look_up(session, name)
    return None if found is None or found.table is None else found.table.log().latest()
