"""A Parquet or Iceberg table as the source of a clone: read as for a conversion, and left alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from puredelta.commands.convert.run import SessionConversion
from puredelta.commands.convert.session_options import conversion_settings
from puredelta.conversion.checks import no_file
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import ICEBERG, ConvertTarget
from puredelta.engine.session.context import Context
from puredelta.engine.session.session_catalog import CatalogEntry
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Protocol
from puredelta.maintenance.clone.source import CloneSource
from puredelta.table.new_table import NewTableRules
from puredelta.table.protocol.protocol import features_of, normal_form

# What every new table has, and a clone of files only where its properties ask for it.
_OF_NEW_TABLES = frozenset({"appendOnly", "invariants"})


@contextmanager
def converted_source(
    context: Context, target: ConvertTarget, entry: CatalogEntry | None, place: str
) -> Iterator[CloneSource]:
    """Read a table of another format as the source of a clone.

    Statistics come from the footers, which are read for the columns anyway.

    Args:
        context: the session.
        target: what the statement says of the source.
        entry: what the session catalog knows of it; None for a path.
        place: the folder of the clone, as Hadoop names it.

    Raises:
        DeltaAnalysisError: PATH_NOT_FOUND.
        DeltaFileNotFoundError: DELTA_EMPTY_DIRECTORY for a folder without a data file.
        DeltaError: a file that cannot be part of a table.
    """
    conversion = _conversion(context, target, entry, place)
    if not conversion.directory_exists():
        raise DeltaAnalysisError("PATH_NOT_FOUND", path=target.location)
    with closing(conversion.get_target_table()) as table:
        # The catalog knows the columns of an empty table, and Iceberg's metadata does.
        if not len(table.files) and entry is None and target.provider != ICEBERG:
            raise no_file(target, conversion.problems)
        metadata, protocol = conversion.new_version(table)
        yield CloneSource(
            label=target.label,
            # The conversion names its files, and its vectors, as a table at this place does.
            url=conversion.table_url,
            metadata=metadata,
            protocol=_needed(protocol),
            files=conversion.create_delta_actions(table),
            num_files=len(table.files),
            size=table.files.size,
        )


def _conversion(
    context: Context, target: ConvertTarget, entry: CatalogEntry | None, place: str
) -> SessionConversion:
    settings = conversion_settings(context, collects_stats=True)
    rules = settings.new_tables
    # Default properties of the session are for tables that are made from nothing.
    bare = NewTableRules(
        defaults={},
        arbitrary_properties=rules.arbitrary_properties,
        any_retention=rules.any_retention,
        nested_not_null=rules.nested_not_null,
    )
    return SessionConversion(
        target=target,
        request=ConvertRequest(
            delta_path=place, infer_partitions=context.settings.convert.infer_partitions
        ),
        settings=replace(settings, new_tables=bare),
        context=context,
        entry=entry,
    )


def _needed(protocol: Protocol) -> Protocol:
    return normal_form(features_of(protocol) - _OF_NEW_TABLES)
