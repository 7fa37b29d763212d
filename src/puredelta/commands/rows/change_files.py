"""Rows that changed, as files for readers of the change data feed."""

from pyspark.sql import DataFrame

from puredelta.commands.rows.file_writing import in_fewer_tasks
from puredelta.commands.rows.layout import layout_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.change_data import write_with_changes
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.actions import AddCdcFile
from puredelta.table.change_columns import keeps_changes


def has_change_feed(target: WriteTarget) -> bool:
    """Say whether commits to a table tell which rows changed."""
    return keeps_changes(target.metadata.configuration)


def write_rows_and_changes(
    target: WriteTarget, rows: DataFrame, *, in_place: bool = False
) -> tuple[WrittenFiles, list[AddCdcFile]]:
    """Write a table's rows and its change files by one job; no reader sees them before a commit.

    Values that are not the same each time they are computed are the same in both that way, where
    a row that is new and told as a change comes out of the same place (`explode`).

    Args:
        target: the table.
        rows: the columns that the table gets, in its order, and behind them `_change_type`. It is
            null in rows of the table, and `insert`, `update_preimage`, `update_postimage` or
            `delete` in those that only tell what changed.
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
