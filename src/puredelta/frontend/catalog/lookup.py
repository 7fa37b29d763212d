"""Names in Delta statements and the Python API -> the table that is meant."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.classes import static_method
from puredelta.engine.paths import hadoop_path, is_absolute
from puredelta.engine.scala import new_case_class
from puredelta.engine.spark import frame_of_plan
from puredelta.frontend.catalog.description import handle_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a name is.

    Attributes:
        name: what the user called it.
        table: the Delta table it is; None for anything else.
        is_view: it is a view, temporary or not.
        provider: of a table that is not Delta, its format.
        location: likewise, where it lies.
        partition_columns: likewise.
    """

    name: str
    table: TableRef | None = None
    is_view: bool = False
    provider: str | None = None
    location: str | None = None
    partition_columns: tuple[str, ...] = ()


def find_by_path(
    session: SparkSession, path: str, options: Mapping[str, str] | None = None
) -> Found:
    """Look for a table at a path.

    Args:
        session: where it is looked for.
        path: its folder.
        options: of its file system, for this table only.
    """
    table = TableRef(root=hadoop_path(session, path, options), options=options or {})
    return Found(name=path, table=table if table.log().exists() else None)


def find_by_name(session: SparkSession, parts: Sequence[str]) -> Found:
    """Look a name up as Spark does: temporary views first, then the catalog.

    Raises:
        AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND.
    """
    name = ".".join(parts)
    if len(parts) == 2 and parts[0].lower() == "delta" and is_absolute(parts[1]):
        return find_by_path(session, parts[1])
    resolved = _resolved(session, parts)
    kind = resolved.getClass().getSimpleName()
    if kind != "ResolvedTable":
        return Found(name=name, is_view=True)
    table = resolved.table()
    if table.getClass().getName() == "puredelta.LoadedTable":
        handle = handle_of(json.loads(table.handle().toString()))
        return Found(name=handle.table.label, table=handle.table)
    properties = table.properties()
    transforms = (reference for t in table.partitioning() for reference in t.references())
    return Found(
        name=_full_name(resolved),
        provider=properties.get("provider"),
        location=properties.get("location"),
        partition_columns=tuple(".".join(r.fieldNames()) for r in transforms),
    )


def parse_name(session: SparkSession, text: str) -> list[str]:
    """Split a table's name into its parts.

    Raises:
        ParseException: Spark's, when it is not a name.
    """
    parts = session._jsparkSession.sessionState().sqlParser().parseMultipartIdentifier(text)
    return [parts.apply(i) for i in range(parts.size())]


def _resolved(session: SparkSession, parts: Sequence[str]) -> Any:
    names = static_method("org.apache.spark.api.python.PythonUtils", "toSeq")(list(parts))
    name = "org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView"
    plan = new_case_class(name, names, "DESCRIBE", True)  # temporary views too
    return frame_of_plan(session, plan)._jdf.queryExecution().analyzed()


def _full_name(resolved: Any) -> str:
    identifier = resolved.identifier()
    return ".".join([resolved.catalog().name(), *identifier.namespace(), identifier.name()])
