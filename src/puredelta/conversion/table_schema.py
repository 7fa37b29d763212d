"""The schema of the table that files become: theirs, and the partition columns."""

from __future__ import annotations

from puredelta.schema.datatypes import StructType


def construct_table_schema(
    data: StructType, partitions: StructType, catalog: StructType | None = None
) -> StructType:
    """Put the columns of files and folders together.

    A partition column that is in the files too keeps its place there, and all else it has from
    `partitions`: readers take its values from the log.

    Args:
        data: The columns of the files.
        partitions: The columns that partition the table.
        catalog: What the catalog says of the table, in whose place the files' columns stand where
            it says nothing; None without a catalog's table.
    """
    columns = data if catalog is None else catalog
    partitioning = {field.name.lower(): field for field in partitions}
    kept = [partitioning.pop(field.name.lower(), field) for field in columns]
    return StructType((*kept, *partitioning.values()))
