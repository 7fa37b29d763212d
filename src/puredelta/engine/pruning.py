"""Which files a scan can pass over, by what the log says of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from puredelta.engine.file_listing import Prune


def conditions_of(filters: Any) -> Sequence[Any]:
    """Translate the filters of a scan, which are Catalyst expressions."""
    return ()


def pruning(handle: Mapping[str, Any], conditions: Sequence[Any]) -> Prune | None:
    """Return what prunes the files of a scan; None when nothing does."""
    return None
