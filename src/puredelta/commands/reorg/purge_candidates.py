"""Which files have something to purge: rows that a vector hides, columns that were dropped."""

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.commands.reorg.file_schemas import files_whose_schema
from puredelta.commands.rows.target import Target
from puredelta.log.files import FILES
from puredelta.schema.datatypes import StructType
from puredelta.table.change_feed.columns import CHANGE_TYPE
from puredelta.table.columns.column_mapping import mapping_mode, physical_schema
from puredelta.table.columns.dropped_columns import has_other_columns, may_have_dropped
from puredelta.table.protocol.row_tracking import COLUMN_NAMES


def purgeable(target: Target, files: pa.Table) -> pa.Table:
    """Return the files from which something is to be purged.

    Reads footers, but for tables that are known to have lost no column.

    Args:
        target: the table.
        files: rows of `target.before.files`.

    Raises:
        DeltaError: a file cannot be read.
    """
    has_vector = pc.is_valid(files["deletion_vector"])
    marked, others = files.filter(has_vector), files.filter(pc.invert(has_vector))
    before = target.before
    if not may_have_dropped(before.schema, before.configuration):
        return marked
    known, hidden = _columns(target), _hidden(target)

    def has_dropped(found: pa.Schema) -> bool:
        return has_other_columns(found, known, hidden)

    options = target.table.options
    dropped = files_whose_schema(others, before.store, has_dropped, options)
    return pa.concat_tables([marked.cast(FILES), dropped.cast(FILES)])


def _columns(target: Target) -> StructType:
    before = target.before
    return physical_schema(before.schema, before.schema, mapping_mode(before.configuration))


def _hidden(target: Target) -> frozenset[str]:
    """Return the columns of files that tell no values: ids of rows, and what a change was.

    Files that were written together with change files have that one, without values.
    """
    told = target.before.configuration
    return frozenset([CHANGE_TYPE, *(told[key] for key in COLUMN_NAMES if key in told)])
