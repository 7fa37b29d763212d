"""Rows of a table's schema as files of it, laid out as options, session and table ask."""

import msgspec
from pyspark.sql import DataFrame

from puredelta.commands.layout import layout_of
from puredelta.commands.target import Target
from puredelta.engine.context import Context
from puredelta.engine.footers import Written
from puredelta.engine.optimized_write import rebalanced
from puredelta.engine.write import write_files
from puredelta.log.actions import AddFile

_PROPERTIES = ("delta.autoOptimize.optimizeWrite", "delta.autoOptimize")


def write_rows(target: Target, rows: DataFrame) -> Written:
    """Write rows as files that no reader sees before a commit names them.

    Args:
        target: the table.
        rows: exactly the columns that the table gets, in its order.
    """
    settings = target.context.settings
    metadata = target.metadata
    if is_optimized(target):
        rows = rebalanced(rows, metadata.partition_columns, settings.optimize_write_bin << 20)
    return write_files(
        rows,
        target.table.root,
        target.before.store,
        layout_of(metadata),
        {**target.options.parquet, **target.table.options},
        settings.data_folder,
    )


def is_optimized(target: Target) -> bool:
    """Say whether rows are shuffled before they are written: option, then session, then table."""
    asked = target.options.optimize_write
    if asked is None:
        asked = target.context.settings.optimize_write
    if asked is not None:
        return asked
    told = target.metadata.configuration
    return any(told.get(key, "").lower() == "true" for key in _PROPERTIES)


def new_files(context: Context, written: Written) -> list[AddFile]:
    """Return the files of a write, with statistics unless the session does without."""
    if context.settings.collect_stats:
        return list(written.files)
    return [msgspec.structs.replace(file, stats=None) for file in written.files]
