"""Rows of a table's schema as files of it, laid out as options, session and table ask."""

from collections.abc import Sequence

import msgspec
from pyspark.sql import DataFrame

from puredelta.commands.rows.layout import layout_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.session.context import Context
from puredelta.engine.write.change_data import write_with_changes
from puredelta.engine.write.file_writer import write_files
from puredelta.engine.write.footers import WrittenFiles
from puredelta.engine.write.optimized_write import rebalance
from puredelta.log.actions import AddCdcFile, AddFile, Metadata
from puredelta.settings import Settings
from puredelta.storage.location import decode_path
from puredelta.storage.store import Store
from puredelta.table.change_columns import keeps_changes

_PROPERTY = "delta.autoOptimize.optimizeWrite"


def write_rows(target: WriteTarget, rows: DataFrame, *, in_place: bool = False) -> WrittenFiles:
    """Write rows as files that no reader sees before a commit names them.

    Args:
        target: the table.
        rows: exactly the columns that the table gets, in its order.
        in_place: they must not be shuffled.
    """
    return write_table_rows(
        target.context,
        target.table,
        target.before.store,
        target.metadata,
        target.options,
        rows,
        in_place=in_place,
    )


def write_table_rows(
    context: Context,
    table: TableRef,
    store: Store,
    metadata: Metadata,
    options: WriteOptions,
    rows: DataFrame,
    *,
    in_place: bool = False,
) -> WrittenFiles:
    """Write rows of a table that need not be there yet.

    Args:
        context: the session.
        table: where the table lies.
        store: the same place.
        metadata: what the table's metadata will be.
        options: the writer's options.
        rows: exactly the table's columns, in its order.
        in_place: they must not be shuffled.
    """
    return write_files(
        rows if in_place else in_fewer_tasks(rows, options, context.settings, metadata),
        table.root,
        store,
        layout_of(metadata),
        {**options.parquet, **table.options},
        context.settings.data_folder,
    )


def has_change_feed(target: WriteTarget) -> bool:
    """Say whether commits to a table record which rows changed."""
    return keeps_changes(target.metadata.configuration)


def write_rows_and_changes(
    target: WriteTarget, rows: DataFrame, *, in_place: bool = False
) -> tuple[WrittenFiles, list[AddCdcFile]]:
    """Write a table's rows and its change files by one job; no reader sees them before a commit.

    Values that are not the same each time they are computed are the same in both that way, where
    a row that is new and recorded as a change comes out of the same place (`explode`).

    Args:
        target: the table.
        rows: the columns that the table gets, in its order, and behind them `_change_type`. It is
            null in rows of the table, and `insert`, `update_preimage`, `update_postimage` or
            `delete` in those that only record what changed.
        in_place: they must not be shuffled.
    """
    context, metadata = target.context, target.metadata
    return write_with_changes(
        rows if in_place else in_fewer_tasks(rows, target.options, context.settings, metadata),
        target.table.root,
        target.before.store,
        layout_of(metadata),
        {**target.options.parquet, **target.table.options},
    )


def in_fewer_tasks(
    rows: DataFrame, options: WriteOptions, settings: Settings, metadata: Metadata
) -> DataFrame:
    """Return rows shuffled to few and large files, where option, session or table ask for that.

    Args:
        rows: with columns of the table or of the data; those that partition it are known by name.
        options: the writer's.
        settings: the session's.
        metadata: the table's.
    """
    if not is_optimized(options, settings, metadata):
        return rows
    # Column names are compared without case, as Spark does by default; the shuffle needs the
    # spelling of the frame.
    there = {name.lower(): name for name in rows.columns}
    wanted = [
        there[column.lower()] for column in metadata.partition_columns if column.lower() in there
    ]
    return rebalance(rows, wanted, settings.optimize_write_bin << 20)


def is_optimized(options: WriteOptions, settings: Settings, metadata: Metadata) -> bool:
    """Say whether rows are shuffled before they are written: option, then session, then table."""
    # None means that nobody decided; False of a nearer level wins over True of a farther one.
    for asked in (options.optimize_write, settings.optimize_write):
        if asked is not None:
            return asked
    return metadata.configuration.get(_PROPERTY, "").strip().lower() == "true"


def new_files(context: Context, written: WrittenFiles) -> list[AddFile]:
    """Return the files of a write, with statistics unless the session does without."""
    if context.settings.collect_stats:
        return list(written.files)
    return [msgspec.structs.replace(file, stats=None) for file in written.files]


def written_paths(*parts: WrittenFiles) -> list[str]:
    """Return the paths of the files that a write made, as the log would spell them."""
    return [file.path for written in parts for file in written.files]


def discard(target: WriteTarget, paths: Sequence[str]) -> None:
    """Remove files of a write that is not going to be committed.

    Args:
        target: the table.
        paths: the files, as the log would spell them.
    """
    # No version names these files; without this, only VACUUM would delete them.
    if paths:
        target.before.store.delete([decode_path(path) for path in paths])
