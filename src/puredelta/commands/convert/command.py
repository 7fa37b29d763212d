"""CONVERT TO DELTA as a value: a name and what is asked become a conversion in a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from pyspark.sql import SparkSession

from puredelta.commands.convert.catalog_table import target_of_entry
from puredelta.commands.convert.run import SessionConversion
from puredelta.commands.convert.session_options import conversion_settings
from puredelta.commands.table_ref import TableRef
from puredelta.conversion.bad_files import FAIL
from puredelta.conversion.report import Conversion
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import (
    DELTA,
    ICEBERG,
    PARQUET,
    ConvertTarget,
    target_at,
)
from puredelta.engine.session.context import Context
from puredelta.engine.session.paths import hadoop_path, is_absolute, path_exists
from puredelta.engine.session.session_catalog import SESSION_CATALOG, CatalogEntry, entry_of
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import StructType


@dataclass(frozen=True, slots=True)
class Converted:
    """What a conversion did, and to which table.

    Attributes:
        table: the Delta table.
        report: what was done.
    """

    table: TableRef
    report: Conversion


@dataclass(frozen=True, slots=True)
class ConvertToDeltaCommand:
    """Makes a Delta table of Parquet files, or of an Iceberg table, in place.

    Spec: CONVERT TO DELTA.

    Attributes:
        table_identifier: one to three parts: a format and a path, or the name of a table.
        partition_schema: the partition columns; None where nobody said.
        collect_stats: make statistics?
        delta_path: the folder of the Delta table, which then names files of another one; by
            default it is the folder of the files.
        infer_partitions: where nobody said, are partition columns inferred from the names of
            folders? By default as the session says.
        dry_run: look, and write nothing.
        on_bad_file: `fail` or `skip`; see `ConvertRequest`.
    """

    table_identifier: Sequence[str]
    partition_schema: StructType | None = None
    collect_stats: bool = True
    delta_path: str | None = None
    _: KW_ONLY
    infer_partitions: bool | None = None
    dry_run: bool = False
    on_bad_file: str = FAIL

    def run(self, context: Context) -> Converted:
        """Convert what the name is.

        Raises:
            AnalysisException: Spark's, for a name that nothing has.
            DeltaError: what `resolve_convert_target` and `SessionConversion.run` raise.
        """
        found = _resolve_convert_target(context.session, self.table_identifier)
        entry = None if isinstance(found, ConvertTarget) else found
        label = ".".join(map(quoted, self.table_identifier))
        target = found if isinstance(found, ConvertTarget) else target_of_entry(found, label)
        request = self._request(context)
        report = SessionConversion(
            target=target,
            request=request,
            settings=conversion_settings(context, collects_stats=request.collect_stats),
            context=context,
            entry=entry,
        ).run()
        name = None if entry is None else f"{SESSION_CATALOG}.{entry.database}.{entry.table}"
        return Converted(TableRef(root=request.delta_path or target.location, name=name), report)

    def _request(self, context: Context) -> ConvertRequest:
        infers, path = self.infer_partitions, self.delta_path
        if infers is None:
            infers = context.settings.convert.infer_partitions
        return ConvertRequest(
            partition_schema=self.partition_schema,
            infer_partitions=infers,
            collect_stats=self.collect_stats,
            dry_run=self.dry_run,
            on_bad_file=self.on_bad_file,
            delta_path=None if path is None else hadoop_path(context.session, path),
        )


# --------------------------------------------------------------------- the name in CONVERT TO DELTA


_FORMATS = frozenset(
    {PARQUET, DELTA, ICEBERG, "avro", "binaryfile", "csv", "hudi", "json", "orc", "text", "xml"}
)
"""What can stand before a path; other words are databases."""

_WITH_CATALOG = 3
_WITH_DATABASE = 2


def _resolve_convert_target(
    session: SparkSession, name: Sequence[str]
) -> ConvertTarget | CatalogEntry:
    """Say what a name is.

    Args:
        session: whose catalog.
        name: one to three parts.

    Raises:
        DeltaAnalysisError: TABLE_OR_VIEW_NOT_FOUND, DELTA_MISSING_PROVIDER_FOR_CONVERT for a path
            alone, PATH_NOT_FOUND where nothing is at a path that is relative, or of another format
            than Parquet, PUREDELTA_CONVERT_OTHER_CATALOG.
    """
    parts = _without_session_catalog(session, name)
    if len(parts) == 1 and is_absolute(parts[0]):
        raise DeltaAnalysisError("DELTA_MISSING_PROVIDER_FOR_CONVERT", path=parts[0])
    if len(parts) == _WITH_DATABASE and parts[0].lower() in _FORMATS:
        return _at_path(session, parts)
    return entry_of(session, parts)


def _at_path(session: SparkSession, parts: Sequence[str]) -> ConvertTarget | CatalogEntry:
    provider, path = parts[0].lower(), parts[1]
    is_relative = not path or not is_absolute(path)
    if is_relative and session.catalog.databaseExists(parts[0]):
        return entry_of(session, parts)
    if not path:
        raise DeltaAnalysisError("PATH_NOT_FOUND", path=path)
    # A relative path begins in the folder that Spark works in, as in `SELECT ... FROM parquet.`p``.
    root = hadoop_path(session, path)
    is_asked = is_relative or provider not in (PARQUET, DELTA, ICEBERG)
    if is_asked and not path_exists(session, root):
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
