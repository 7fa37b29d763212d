"""What users catch, under the name of delta-spark's module `delta.exceptions`.

>>> from puredelta.exceptions import ConcurrentAppendException

All that two writers can do to each other is a `DeltaConcurrentModificationException`, so that one
`except` catches every conflict. A Delta table that is missing is a `DeltaTableNotFoundException`,
whichever of delta-spark's conditions says so.
"""

from puredelta.engine.exceptions import (
    ConcurrentAppendException,
    ConcurrentDeleteDeleteException,
    ConcurrentDeleteReadException,
    ConcurrentTransactionException,
    ConcurrentWriteException,
    DeltaAnalysisException,
    DeltaArithmeticException,
    DeltaColumnMappingUnsupportedException,
    DeltaConcurrentModificationException,
    DeltaFileNotFoundException,
    DeltaIllegalArgumentException,
    DeltaIllegalStateException,
    DeltaInvariantViolationException,
    DeltaParseException,
    DeltaRuntimeException,
    DeltaTableFeatureException,
    DeltaTableNotFoundException,
    DeltaUnsupportedOperationException,
    InvalidProtocolVersionException,
    MetadataChangedException,
    ProtocolChangedException,
)

__all__ = [
    "ConcurrentAppendException",
    "ConcurrentDeleteDeleteException",
    "ConcurrentDeleteReadException",
    "ConcurrentTransactionException",
    "ConcurrentWriteException",
    "DeltaAnalysisException",
    "DeltaArithmeticException",
    "DeltaColumnMappingUnsupportedException",
    "DeltaConcurrentModificationException",
    "DeltaFileNotFoundException",
    "DeltaIllegalArgumentException",
    "DeltaIllegalStateException",
    "DeltaInvariantViolationException",
    "DeltaParseException",
    "DeltaRuntimeException",
    "DeltaTableFeatureException",
    "DeltaTableNotFoundException",
    "DeltaUnsupportedOperationException",
    "InvalidProtocolVersionException",
    "MetadataChangedException",
    "ProtocolChangedException",
]
