"""What Spark's Parquet reader needs of the session to read a table's files, and what it cannot.

The Parquet library of PySpark 4.0 fails on files with a column that is marked as VARIANT, whichever
column is read; writers from Spark 4.1 on mark them. The failure becomes an error that says so.
"""

import re
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from puredelta.engine.bridge import failures
from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.exceptions import public
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.log.snapshot import Snapshot
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.protocol.protocol import features_of

_BY_NUMBER = "spark.sql.parquet.fieldId.read.enabled"
_SHREDDED = "spark.sql.variant.allowReadingShredded"
_SHREDDING = frozenset({"variantShredding", "variantShredding-preview"})

_UNREADABLE = re.compile(r"\[FAILED_READ_FILE[.\w]*\][^\n]*? file (?P<path>\S+)\.\s")
_READS_TYPES = "getLogicalTypeAnnotation"


def set_reader_settings(snapshot: Snapshot) -> None:
    """Let the session read the files of a table.

    Where its files know columns by numbers, Spark's row-by-row reader asks the session whether
    those count. Where variants are shredded, PySpark 4.0 reads them only on demand. A query takes
    the settings along with which it begins: when it is planned is too late.

    Args:
        snapshot: the version that is going to be read.
    """
    if mapping_mode(snapshot.configuration) is MappingMode.ID:
        _set(active_session(), _BY_NUMBER)
    if features_of(snapshot.protocol) & _SHREDDING:
        _set(active_session(), _SHREDDED)


def _set(session: SparkSession, key: str) -> None:
    session._jsparkSession.conf().set(key, "true")


def _unknown_type(java_error: Any) -> Exception | None:
    """Return the error for a file with a logical type that the Parquet library does not know."""
    found = _UNREADABLE.search(str(java_error.toString()))
    if found is None or not any(map(_is_unknown_type, failures.causes(java_error))):
        return None
    return public(
        DeltaRuntimeError(
            "PUREDELTA_PARQUET_TYPE_UNKNOWN", path=found["path"], version=pyspark.__version__
        )
    )


def _is_unknown_type(cause: Any) -> bool:
    if kind_of(cause) != "NullPointerException":
        return False
    trace = cause.getStackTrace()
    return len(trace) > 0 and str(trace[0].getMethodName()) == _READS_TYPES


failures.translate_with(_unknown_type)
