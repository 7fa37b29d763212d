"""Which data files were written before a column got its present type; their footers tell."""

from collections.abc import Mapping

import pyarrow as pa

from puredelta.commands.reorg.file_schemas import files_whose_schema
from puredelta.log.snapshot import Snapshot
from puredelta.schema.arrow import to_arrow
from puredelta.table.columns.column_mapping import mapping_mode, physical_schema
from puredelta.table.columns.type_change_history import has_older_type


def files_of_older_types(
    snapshot: Snapshot, files: pa.Table, options: Mapping[str, str] | None = None
) -> pa.Table:
    """Return those of some files in which a column has another type than in the table.

    Reads the footer of each.

    Args:
        snapshot: the table.
        files: rows of `snapshot.files`.
        options: of the file system, for files outside of the table's folder.

    Raises:
        DeltaError: a file cannot be read.
    """
    schema = snapshot.schema
    wanted = to_arrow(physical_schema(schema, schema, mapping_mode(snapshot.configuration)))
    whole = pa.struct(list(wanted))

    def is_older(found: pa.Schema) -> bool:
        return has_older_type(pa.struct(list(found)), whole)

    return files_whose_schema(files, snapshot.store, is_older, options)
