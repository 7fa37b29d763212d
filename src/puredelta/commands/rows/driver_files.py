"""Files that are on the driver's machine: which they are, and what reads them by Arrow."""

import pyarrow as pa

from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.rows.data_files import RowReader
from puredelta.storage.location import absolute, local_path
from puredelta.table.columns.column_mapping import mapping_mode


def are_on_driver(table: TableRef, files: pa.Table) -> bool:
    """Say whether files of a table are on this machine, and nothing is needed to get in."""
    if table.options or local_path(table.url) is None:
        return False
    paths = files["path"].to_pylist()
    return all(local_path(absolute(table.url, path)) is not None for path in paths)


def reader_of(target: WriteTarget) -> RowReader:
    """Return what reads files of a table in the driver."""
    return RowReader(
        target.table.log().store,
        mapping_mode(target.before.configuration),
        frozenset(target.before.partition_columns),
    )
