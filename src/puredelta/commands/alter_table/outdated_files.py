"""Which data files were written before a column got its present type; their footers tell."""

import pyarrow as pa

from puredelta.commands.file_schemas import files_whose_schema
from puredelta.commands.replaced import paths_of
from puredelta.log.snapshot import Snapshot
from puredelta.schema.arrow import to_arrow
from puredelta.table.column_mapping import mapping_mode, physical_schema
from puredelta.table.type_changes import has_older_type


def files_of_older_types(snapshot: Snapshot) -> list[str]:
    """Return the paths of the files in which a column has another type than in the table.

    Reads the footer of every file.

    Raises:
        DeltaError: a file cannot be read.
    """
    schema = snapshot.schema
    wanted = to_arrow(physical_schema(schema, schema, mapping_mode(snapshot.configuration)))
    whole = pa.struct(list(wanted))

    def is_older(found: pa.Schema) -> bool:
        return has_older_type(pa.struct(list(found)), whole)

    return paths_of(files_whose_schema(snapshot.files, snapshot.store, is_older))
