"""Files that are not as long as the log says: noticed before they are read, where that is cheap.

Spark cuts files into parts by the size in the log. Executors read the last part of each to the true
end of the file (`puredelta.LastParts`), so no rows are lost; but the log is wrong.
"""

import logging
import os
from functools import lru_cache

import pyarrow as pa

from puredelta.storage.location import absolute, local_path, scheme_of, table_url

logger = logging.getLogger(__name__)

# A look at a local file takes two microseconds; planning waits for no more of them than this.
_MOST_FILES = 1000


def warn_of_sizes(files: pa.Table, root: str) -> None:
    """Warn of local files whose size in the log is wrong, of each once.

    Where files lie on another machine, each would cost a request: `puredelta check` looks at them.

    Args:
        files: Rows of `log.files.FILES`, those that are to be read; the first are looked at.
        root: Where the table lies.
    """
    url = table_url(root)
    if scheme_of(url) != "file":
        return
    some = files.select(["path", "size"]).slice(0, _MOST_FILES)
    for path, size in zip(*(some[name].to_pylist() for name in ("path", "size")), strict=True):
        place = local_path(absolute(url, path))
        true = None if place is None else _size(place)
        if true is not None and true != size:
            _warn(str(place), size, true)


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size  # noqa: PTH116  # a Path takes longer than the call
    except OSError:
        # Spark reports a missing file.
        return None


@lru_cache(maxsize=10_000)
def _warn(path: str, said: int, true: int) -> None:
    logger.warning(
        "%s has %d bytes, and the log says %d. All its rows are read, and other engines "
        "may lose some: look at the table with 'puredelta check', and write the file anew.",
        path,
        true,
        said,
    )
