"""What Delta Lake has and is not offered yet, or not in this session: refused by name."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from puredelta.engine.bridge.failures import translate_with
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaError,
    DeltaUnsupportedOperationError,
)
from puredelta.frontend.sql.tokens import Tokens

Operation = Literal[
    "readStream of Delta tables",
    "writeStream to Delta tables",
]
"""What Delta Lake offers and this package does not, as messages name it."""

READ_STREAM: Final = "readStream of Delta tables"
WRITE_STREAM: Final = "writeStream to Delta tables"

_INSTEAD: Mapping[Operation, str] = MappingProxyType(
    {
        READ_STREAM: "Read what came since a version in batches: spark.read"
        ".option('readChangeFeed', 'true').option('startingVersion', n)"
        ".table(t), or a version with versionAsOf.",
        WRITE_STREAM: "Write each batch: stream.writeStream.foreachBatch(lambda rows, n: rows.write"
        ".format('delta').option('txnAppId', 'my stream').option('txnVersion', n).mode('append')"
        ".saveAsTable(t)).start(); no batch is written twice.",
    }
)

_DIRECTORY = "INSERT OVERWRITE DIRECTORY"


def refuse_statement(text: str) -> None:
    """Refuse INSERT OVERWRITE DIRECTORY in the format of Delta, which delta-spark refuses, too.

    Args:
        text: any SQL.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED.
    """
    tokens = Tokens(text)
    if tokens.take("INSERT", "OVERWRITE") and _is_directory(tokens):
        raise DeltaAnalysisError("DELTA_OPERATION_NOT_ALLOWED", operation=_DIRECTORY)


def _is_directory(tokens: Tokens) -> bool:
    """Say whether rows are to be written into a directory in the format of Delta."""
    tokens.take("LOCAL")
    if not tokens.take("DIRECTORY"):
        return False
    tokens.string()
    return tokens.take("USING") and (tokens.word() or "").lower() == "delta"


def not_offered(operation: Operation) -> DeltaUnsupportedOperationError:
    """Return the error for an operation that is not offered yet."""
    return DeltaUnsupportedOperationError(
        "PUREDELTA_NOT_OFFERED", operation=operation, instead=_INSTEAD[operation]
    )


# How Spark says that it found nothing of ours for what it was asked.
_OF_SPARK: tuple[tuple[re.Pattern[str], Operation | None], ...] = (
    (re.compile(r"Data source delta does not support streamed reading"), READ_STREAM),
    (re.compile(r"`spark_catalog`.* does not support either micro-batch or cont"), READ_STREAM),
    (re.compile(r"Data source delta does not support streamed writing"), WRITE_STREAM),
    (re.compile(r"doesn't support streaming write - puredelta\."), WRITE_STREAM),
    (re.compile(r"UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY.*: delta\b"), None),
    (re.compile(r"Table `delta` does not support batch scan"), None),
    (re.compile(r"provider 'delta' does not support external metadata"), None),
)
_WHOLE_PATH = re.compile(r"\s*delta\s*\.\s*`(/|\w+:)", re.IGNORECASE)


def unsupported_error(message: str) -> DeltaError | None:
    """Return our error for one of Spark's that says less; None for all others.

    Args:
        message: Spark's.
    """
    found = next((pair for pair in _OF_SPARK if pair[0].search(message)), None)
    if found is None:
        return None
    operation = found[1]
    return (
        DeltaAnalysisError("PUREDELTA_OTHER_SESSION")
        if operation is None
        else not_offered(operation)
    )


def _translated(java_error: Any) -> DeltaError | None:
    message = str(java_error.toString())
    if "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY" in message and not _names_a_path(java_error):
        return None
    return unsupported_error(message)


def _names_a_path(java_error: Any) -> bool:
    """Say whether a statement failed at a path: delta.`relative` is a name in every session."""
    return any(
        _WHOLE_PATH.match(str(context.fragment())) for context in java_error.getQueryContext()
    )


translate_with(_translated)
