"""The hint where the newest checkpoint is: read with mistrust, written with a checksum.

The listing of the log says the same and more, so reading the hint never fails: a hint that is
missing, damaged or absurd is no hint.

Protocol: Last Checkpoint File.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

import msgspec

from puredelta.errors import DeltaError
from puredelta.log.actions import Record, Sidecar
from puredelta.log.checkpoint.canonical_json import is_json_checksum, json_checksum
from puredelta.log.names import LAST_CHECKPOINT, MAX_VERSION, commit_name
from puredelta.storage.store import ObjectNotFound, Store

_logger = logging.getLogger(__name__)

MAX_SCHEMA_LENGTH = 20_000
"""A schema whose JSON is longer stays out of the hint, in characters."""

MAX_ACTIONS = 30
"""With more actions than these, or more sidecars, a hint does not repeat them."""

# A writer of a store without atomic replacement may be in the middle of it.
_RETRIES = 3
_PAUSE_SECONDS = 0.02


class V2Hint(Record, frozen=True, kw_only=True):
    """What the hint says of a V2 checkpoint.

    Attributes:
        path: Name of the top-level file in the log folder.
        size_in_bytes: Its size.
        modification_time: Its time, in milliseconds since 1970.
        non_file_actions: Lines of the checkpoint that are not about files, as plain values.
        sidecar_files: Its sidecars.
    """

    path: str
    size_in_bytes: int
    modification_time: int
    non_file_actions: list[dict[str, Any]] | None = None
    sidecar_files: list[Sidecar] | None = None


class LastCheckpoint(Record, frozen=True, kw_only=True):
    """The hint where the newest checkpoint is; may be missing, late or wrong.

    Attributes:
        version: The version of the checkpoint.
        size: How many actions it has, those in sidecars included.
        parts: How many parts it has, when it is a multi-part one.
        size_in_bytes: The size of all its files.
        num_of_add_files: How many live files it counts.
        checkpoint_schema: The columns of its Parquet files, as plain JSON values.
        v2_checkpoint: Where its top-level file is, when it is a V2 one.
        tags: What writers add.
        checksum: MD5 of all the rest.
    """

    version: int
    size: int
    parts: int | None = None
    size_in_bytes: int | None = None
    num_of_add_files: int | None = None
    checkpoint_schema: Any = None
    v2_checkpoint: V2Hint | None = None
    tags: dict[str, str | None] | None = None
    checksum: str | None = None


def read_last_checkpoint(
    store: Store, sleep: Callable[[float], object] = time.sleep
) -> LastCheckpoint | None:
    """Read the hint; None when there is none, or it makes no sense even when read again.

    Args:
        store: Where the table lies.
        sleep: Waits some seconds, between two readings.
    """
    for attempt in range(_RETRIES + 1):
        try:
            return decode_last_checkpoint(store.read(LAST_CHECKPOINT))
        except ObjectNotFound:
            return None
        except (ValueError, RecursionError) as error:
            reason: Exception = error
        # Reading again helps against half-written content, not against a store that fails.
        except (DeltaError, OSError) as error:
            reason = error
            break
        if attempt < _RETRIES:
            sleep(_PAUSE_SECONDS)
    _logger.warning("passing over %s/%s: %s", store.url, LAST_CHECKPOINT, reason)
    return None


def decode_last_checkpoint(data: bytes) -> LastCheckpoint:
    """Read the content of the hint.

    Raises:
        msgspec.DecodeError: It is no hint.
        ValueError: Its checksum does not match, or its numbers cannot be.
    """
    hint = msgspec.json.decode(data, type=LastCheckpoint)
    # Protocol: Last Checkpoint File. Other writers may leave the checksum out.
    if hint.checksum is not None and not is_json_checksum(hint.checksum, data):
        raise ValueError("the checksum does not match the content")
    counts = (hint.size, hint.parts or 1, hint.size_in_bytes or 0, hint.num_of_add_files or 0)
    if not 0 <= hint.version <= MAX_VERSION or min(counts) < 0:
        raise ValueError("a number is out of range")
    return hint


def encode_last_checkpoint(hint: LastCheckpoint) -> bytes:
    """Write the content of the hint, with its checksum and without what would make it long."""
    # The checksum is one of the content that is written, so the hint is shortened before.
    lean = _lean(hint)
    return msgspec.json.encode(
        msgspec.structs.replace(lean, checksum=json_checksum(msgspec.json.encode(lean)))
    )


def write_last_checkpoint(store: Store, hint: LastCheckpoint) -> None:
    """Replace the hint, unless it names another writer's checkpoint of a later version."""
    known = read_last_checkpoint(store)
    # A slow writer must not lead readers back to an older checkpoint.
    is_older = known is not None and known.version > hint.version
    # A hint can also point behind the end of the log, and must not stay then.
    if known is None or not is_older or store.info(commit_name(known.version)) is None:
        store.put(LAST_CHECKPOINT, encode_last_checkpoint(hint))


def _lean(hint: LastCheckpoint) -> LastCheckpoint:
    schema, v2 = hint.checkpoint_schema, hint.v2_checkpoint
    if schema is not None and len(msgspec.json.encode(schema)) > MAX_SCHEMA_LENGTH:
        schema = None
    if v2 is not None:
        v2 = msgspec.structs.replace(
            v2,
            non_file_actions=_short(v2.non_file_actions),
            sidecar_files=_short(v2.sidecar_files),
        )
    return msgspec.structs.replace(hint, checkpoint_schema=schema, v2_checkpoint=v2, checksum=None)


def _short(found: list[Any] | None) -> list[Any] | None:
    return None if found is None or len(found) > MAX_ACTIONS else found
