"""The columns of a version as an Arrow table: types, defaults, generation clauses, comments."""

import pyarrow as pa

from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructField, simple_string
from puredelta.table.columns.char_lengths import declared_type
from puredelta.table.columns.column_mapping import unmapped_schema
from puredelta.table.expressions.generation_clauses import generation_clause
from puredelta.table.protocol.defaults import default_of

COLUMNS = pa.schema(
    [
        ("name", pa.string()),
        ("type", pa.string()),
        ("nullable", pa.bool_()),
        ("partition", pa.bool_()),
        ("default", pa.string()),
        ("generated", pa.string()),
        ("comment", pa.string()),
    ]
)


def column_rows(snapshot: Snapshot) -> pa.Table:
    """List the columns of a version.

    Returns:
        A row a column: `name`; `type`, with the lengths of CHAR and VARCHAR; `nullable`;
        `partition`, whether the table is partitioned by it; `default`, in SQL; `generated`, the
        clause that declares a generated or identity column; `comment`.
    """
    rows = [_row(field, snapshot) for field in unmapped_schema(snapshot.schema)]
    return pa.Table.from_pylist(rows, COLUMNS)


def _row(field: StructField, snapshot: Snapshot) -> dict[str, object]:
    return {
        "name": field.name,
        "type": simple_string(declared_type(field)),
        "nullable": field.nullable,
        "partition": field.name in snapshot.partition_columns,
        "default": default_of(field.metadata),
        "generated": generation_clause(field),
        "comment": field.metadata.get("comment"),
    }
