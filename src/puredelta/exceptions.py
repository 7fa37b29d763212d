"""What users catch, under the name of delta-spark's module `delta.exceptions`.

>>> from puredelta.exceptions import ConcurrentAppendException

All that two writers can do to each other is a `DeltaConcurrentModificationException`, so that one
`except` catches every conflict.
"""

from puredelta.engine.exceptions import (
    ConcurrentAppendException,
    ConcurrentDeleteDeleteException,
    ConcurrentDeleteReadException,
    ConcurrentTransactionException,
    ConcurrentWriteException,
    DeltaAnalysisException,
    DeltaArithmeticException,
    DeltaConcurrentModificationException,
    DeltaFileNotFoundException,
    DeltaIllegalArgumentException,
    DeltaIllegalStateException,
    DeltaInvariantViolationException,
    DeltaParseException,
    DeltaRuntimeException,
    DeltaTableFeatureException,
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
    "DeltaConcurrentModificationException",
    "DeltaFileNotFoundException",
    "DeltaIllegalArgumentException",
    "DeltaIllegalStateException",
    "DeltaInvariantViolationException",
    "DeltaParseException",
    "DeltaRuntimeException",
    "DeltaTableFeatureException",
    "DeltaUnsupportedOperationException",
    "InvalidProtocolVersionException",
    "MetadataChangedException",
    "ProtocolChangedException",
]
