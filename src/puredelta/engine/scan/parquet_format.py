"""Answers the Parquet reader: the names and ids of a table's columns in its files.

A deletion vector that executors cannot read stops the query with our error that names it.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from puredelta.conversion.parquet.schema_merging import without_void
from puredelta.engine.bridge import failures
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.exceptions import public
from puredelta.engine.scan.file_index import snapshot_of
from puredelta.engine.scan.handle import ScanHandle
from puredelta.errors.classes import DeltaIllegalStateError
from puredelta.schema.codec import schema_from_json, schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.table.columns.column_mapping import (
    MappingMode,
    mapping_mode,
    physical_paths,
    physical_schema,
)
from puredelta.table.deletion_vectors.vectors import INLINE, owner

# What `puredelta.DeletedRows` says of a deletion vector that it cannot read.
_MARK, _END = "puredelta deletion vector: ", " :puredelta"

# As Spark's filters name columns: what is a plain word needs no quotes.
_PLAIN = re.compile(r"[a-zA-Z0-9_]+")


@serve("scan.format")
def scan_format(text: str, wanted: Any, _second: Any) -> str:
    """Translate the columns and the filters of a scan.

    Returns:
        JSON: `schema` to read from the files, `names` in filters with what they become, `byId`
        when files are matched by number.
    """
    snapshot = snapshot_of(ScanHandle.from_json(text))
    mode = mapping_mode(snapshot.configuration)
    schema = physical_schema(schema_from_json(str(wanted)), snapshot.schema, mode)
    # The Parquet reader of Spark 4.0 knows no void; a column that no file has is null in any type.
    schema = without_void(schema)
    return json.dumps(
        {
            "schema": schema_to_json(schema),
            "names": _filter_names(snapshot.schema, mode),
            "byId": mode is MappingMode.ID,
        }
    )


def _filter_names(schema: StructType, mode: MappingMode) -> dict[str, str]:
    if mode is MappingMode.ID:
        # A file may hold another column under the same name, and its filters would look at that.
        return {}
    return {_quoted(outer): _quoted(inner) for outer, inner in physical_paths(schema, mode)}


def _quoted(path: Iterable[str]) -> str:
    return ".".join(
        name if _PLAIN.fullmatch(name) else f"`{name.replace('`', '``')}`" for name in path
    )


def _unreadable_vector(java_error: Any) -> Exception | None:
    text = failures.marked(java_error, _MARK, _END)
    if text is None:
        return None
    table, file, path, kind, expected, found = text.split("\t", maxsplit=5)
    where = {"path": path or INLINE, "owner": owner(table, file)}
    return public(_damage(kind, where, expected, found))


def _damage(kind: str, where: dict[str, str], expected: str, found: str) -> DeltaIllegalStateError:
    match kind:
        case "SIZE_MISMATCH":
            return DeltaIllegalStateError(
                "DELTA_DELETION_VECTOR_SIZE_MISMATCH", expected=expected, found=found, **where
            )
        case "CARDINALITY_MISMATCH":
            return DeltaIllegalStateError(
                "DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH",
                expected=expected,
                found=found,
                **where,
            )
        case "CHECKSUM_MISMATCH":
            return DeltaIllegalStateError(
                "DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH", offset=found, **where
            )
        case _:
            return DeltaIllegalStateError("DELTA_DELETION_VECTOR_MALFORMED", reason=found, **where)


failures.translate_with(_unreadable_vector)
