"""The way to Iceberg tables: what reads them is loaded when one is converted, and not before.

pyiceberg is an optional part of the installation, and takes a while to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from puredelta.conversion.bad_files import Problems
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import ICEBERG, ConvertTarget, ConvertTargetTable
from puredelta.errors import DeltaAnalysisError, DeltaUnsupportedOperationError
from puredelta.storage.store import Store

_LIBRARY = "pyiceberg"
_READER = "puredelta.conversion.iceberg.table"


def iceberg_table(
    target: ConvertTarget,
    request: ConvertRequest,
    settings: ConversionSettings,
    store: Store,
    home: Store,
    problems: Problems | None = None,
) -> ConvertTargetTable:
    """Read an Iceberg table that is to be converted: its current snapshot.

    Args:
        target: What a statement says of the table.
        request: What the user asks.
        settings: What the session says.
        store: The files of the table.
        home: The folder of the Delta table, whose deletion vectors lie in it.
        problems: Takes what is wrong with single files.

    Raises:
        DeltaAnalysisError: The session does not let Iceberg tables be converted
            (DELTA_CONVERT_NON_PARQUET_TABLE).
        DeltaUnsupportedOperationError: pyiceberg is not installed (DELTA_ICEBERG_LIBRARY_MISSING),
            or the table has what a Delta table cannot have.
        DeltaFileNotFoundError: There is no Iceberg table (DELTA_ICEBERG_TABLE_NOT_FOUND).
    """
    if not settings.iceberg:
        raise DeltaAnalysisError(
            "DELTA_CONVERT_NON_PARQUET_TABLE", sourceName=ICEBERG, tableId=target.label
        )
    found: ConvertTargetTable = _reader().read_table(
        target, request, settings, store, home, problems or Problems()
    )
    return found


def _reader() -> Any:
    try:
        return import_module(_READER)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != _LIBRARY:
            raise
        raise DeltaUnsupportedOperationError("DELTA_ICEBERG_LIBRARY_MISSING") from error
