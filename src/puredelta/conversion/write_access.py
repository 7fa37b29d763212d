"""May the log be written at all? Asked before the footers of many files are read."""

from __future__ import annotations

import logging
import uuid

from puredelta.errors import DeltaError, DeltaRuntimeError
from puredelta.storage.store import Store

_log = logging.getLogger(__name__)


def require_writable(store: Store) -> None:
    """Write an object beside the data files and take it away again.

    It is hidden from all who list data files. The folder of the log is not made here: with it,
    some would take a conversion that then fails for a table.

    Raises:
        DeltaRuntimeError: PUREDELTA_CONVERT_CANNOT_WRITE; nothing was written.
    """
    name = f".puredelta-{uuid.uuid4().hex}"
    try:
        store.put_if_absent(name, b"")
    except (DeltaError, OSError) as reason:
        said = reason.message if isinstance(reason, DeltaError) else str(reason)
        raise DeltaRuntimeError(
            "PUREDELTA_CONVERT_CANNOT_WRITE", path=store.url, reason=said.rstrip(".")
        ) from reason
    try:
        store.delete([name])
    except (DeltaError, OSError) as reason:
        # Who may write and not delete can convert, too.
        _log.warning("the empty object %s/%s could not be deleted: %s", store.url, name, reason)
