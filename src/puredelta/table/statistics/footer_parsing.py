"""The end of a Parquet file, parsed: its footer, if the metadata of its columns can be read.

Arrow ends the process over some damaged footers; those are detected before.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
_TRAILER = 8
# The length of the signature behind the readable footer of a file with encrypted columns.
_SIGNATURE = 28
# Parts of the messages with which Arrow refuses lists and maps of old writers.
_ODD_GROUPS = ("must be annotated", "-annotated group", "Key-value", "at least one child")

DAMAGED = (LookupError, TypeError, ValueError, struct.error, pa.ArrowException)
"""The errors that a damaged footer raises when its columns are read."""


class UnreadableFooterError(ValueError):
    """The end of a file is no footer that can be read; the message states the reason."""


def footer_length(tail: bytes) -> int:
    """Return how long the footer says it is, with its trailer; 0 when there is none."""
    if len(tail) < _TRAILER or tail[-4:] != _MAGIC:
        return 0
    return int.from_bytes(tail[-_TRAILER:-4], "little") + _TRAILER


def read_tail(tail: bytes) -> Any:
    """Read a footer.

    Args:
        tail: The footer, its length and the closing magic bytes; what comes before them in the
            file may stand before them.

    Returns:
        A `pyarrow.parquet.FileMetaData`.

    Raises:
        UnreadableFooterError: It is cut, damaged or encrypted, or of another format.
    """
    if tail[-4:] == _ENCRYPTED:
        raise UnreadableFooterError("its footer is encrypted")
    if tail[-4:] != _MAGIC:
        raise UnreadableFooterError("it does not end like a Parquet file, with PAR1")
    if not 0 < footer_length(tail) <= len(tail):
        raise UnreadableFooterError("its footer would begin before the file does")
    try:
        # The magic bytes and the tail stand for the whole file, of which only the end is read.
        footer = pq.read_metadata(pa.BufferReader(_MAGIC + tail))
    except (pa.ArrowException, OSError) as error:
        if has_odd_groups(error):
            return _without_arrow(tail)
        raise UnreadableFooterError(" ".join(str(error).split())) from error
    # Such a footer can be read; the columns that it describes cannot.
    if footer_length(tail) - _TRAILER - footer.serialized_size == _SIGNATURE:
        raise UnreadableFooterError("some of its columns are encrypted")
    return footer


def has_odd_groups(error: Exception) -> bool:
    """Did Arrow read a whole footer, and refuse lists or maps as old writers have them?"""
    return isinstance(error, pa.ArrowInvalid) and any(part in str(error) for part in _ODD_GROUPS)


def _without_arrow(tail: bytes) -> Any:
    """Read a footer that is whole without asking what its groups mean, as unpickling one does.

    Arrow ends the process over a footer that is not whole.
    """
    made, _ = _any_footer().__reduce__()
    return made(pa.py_buffer(tail[-footer_length(tail) : -_TRAILER]))


@cache
def _any_footer() -> Any:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": [1]}), sink)
    return pq.read_metadata(pa.BufferReader(sink.getvalue()))
