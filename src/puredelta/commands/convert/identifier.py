"""What the name in CONVERT TO DELTA is: the path of files, or a table of the session catalog."""

from collections.abc import Sequence

from pyspark.sql import SparkSession

from puredelta.conversion.source_table import (
    DELTA,
    ICEBERG,
    PARQUET,
    ConvertTarget,
    target_at,
)
from puredelta.engine.session.paths import hadoop_path, is_absolute, path_exists
from puredelta.engine.session.session_catalog import SESSION_CATALOG, CatalogEntry, entry_of
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quoted

_FORMATS = frozenset(
    {PARQUET, DELTA, ICEBERG, "avro", "binaryfile", "csv", "hudi", "json", "orc", "text", "xml"}
)
"""What can stand before a path; other words are databases."""

_WITH_CATALOG = 3
_WITH_DATABASE = 2


def resolve_convert_target(
    session: SparkSession, name: Sequence[str]
) -> ConvertTarget | CatalogEntry:
    """Say what a name is.

    Args:
        session: whose catalog.
        name: one to three parts.

    Raises:
        DeltaAnalysisError: TABLE_OR_VIEW_NOT_FOUND, DELTA_MISSING_PROVIDER_FOR_CONVERT for a path
            alone, PATH_NOT_FOUND for a format before a path that is relative, or of another format
            than Parquet and not there, PUREDELTA_CONVERT_OTHER_CATALOG.
    """
    parts = _without_session_catalog(session, name)
    if len(parts) == 1 and is_absolute(parts[0]):
        raise DeltaAnalysisError("DELTA_MISSING_PROVIDER_FOR_CONVERT", path=parts[0])
    if len(parts) == _WITH_DATABASE and parts[0].lower() in _FORMATS:
        return _at_path(session, parts)
    return entry_of(session, parts)


def _at_path(session: SparkSession, parts: Sequence[str]) -> ConvertTarget | CatalogEntry:
    provider, path = parts[0].lower(), parts[1]
    if not path or not is_absolute(path):
        if session.catalog.databaseExists(parts[0]):
            return entry_of(session, parts)
        raise DeltaAnalysisError("PATH_NOT_FOUND", path=path)
    root = hadoop_path(session, path)
    if provider not in (PARQUET, DELTA, ICEBERG) and not path_exists(session, root):
        raise DeltaAnalysisError("PATH_NOT_FOUND", path=root)
    return target_at(provider, root, label=".".join(map(quoted, parts)))


def _without_session_catalog(session: SparkSession, name: Sequence[str]) -> Sequence[str]:
    """Take the catalog off a name, which can only be the session's own."""
    named = len(name) == _WITH_CATALOG
    catalog = name[0] if named else session.catalog.currentCatalog()
    rest = name[1:] if named else name
    is_path = len(rest) == _WITH_DATABASE and rest[0].lower() in _FORMATS
    if catalog.lower() != SESSION_CATALOG and (named or not is_path):
        raise DeltaAnalysisError(
            "PUREDELTA_CONVERT_OTHER_CATALOG", catalog=catalog, tableName=".".join(name)
        )
    return rest
