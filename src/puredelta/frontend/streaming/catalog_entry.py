"""Answers the table adapter: the catalog entry by which a stream reaches a table that it names."""

from typing import Any

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.callers import is_called_by
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.session_catalog import new_entry
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalStateError
from puredelta.frontend.catalog.table_description import whole_table_of

# The method of Spark's DataStreamWriter.
_STARTS_WRITING = "DataStreamWriter.toTable"


@serve("table.entry")
def entry(text: str, _first: Any, _second: Any) -> Any:
    """Return an entry for a table that the session catalog does not have: one named by its path.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS for an old version, and
            DELTA_UNEXPECTED_PARTIAL_SCAN for the folder of a partition.
        DeltaIllegalStateError: DELTA_INVALID_V1_TABLE_CALL for the target of a stream: after each
            batch Spark looks the entry up in its own catalog.
    """
    handle = ScanHandle.from_json(text)
    if handle.version is not None:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS")
    table = whole_table_of(handle)
    if is_called_by(_STARTS_WRITING):
        raise DeltaIllegalStateError(
            "DELTA_INVALID_V1_TABLE_CALL", callVersion="toTable", tableVersion=table.label
        )
    return new_entry("delta", table.root, table.root, is_managed=False)
