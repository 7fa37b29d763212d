"""The data files below a folder, found as Spark finds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from puredelta.conversion.sink_log import has_sink_log, sink_files
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.names import LOG_FOLDER
from puredelta.storage.store import ObjectInfo, Store

_HIDDEN = ("_", ".")
# What `hdfs dfs -put` calls a file as long as it is not whole.
_IN_COPY = "._COPYING_"


def data_files(store: Store, *, use_metadata_log: bool = True) -> Iterator[SourceFile]:
    """Yield the data files below the root of a store, in the order of their folders' names.

    Args:
        store: The folder that is converted.
        use_metadata_log: Believe the log of a streaming query that wrote the folder, if there is
            one: files that it does not name are left over from attempts that failed.

    Raises:
        DeltaError: The folder cannot be listed, the log of the query not be read, or a Delta table
            is among what is below.
    """
    if use_metadata_log and has_sink_log(store):
        yield from sink_files(store)
        return
    yield from visible(store.walk("", is_entered))


def visible(listed: Iterable[ObjectInfo]) -> Iterator[SourceFile]:
    """Yield the files of a listing that are not hidden.

    Raises:
        DeltaUnsupportedOperationError: DELTA_CONVERT_FILE_NAME_NOT_UTF8.
    """
    for info in listed:
        if not is_hidden(info.name):
            if not _is_text(info.name):
                raise DeltaUnsupportedOperationError(
                    "DELTA_CONVERT_FILE_NAME_NOT_UTF8", path=ascii(info.name)[1:-1]
                )
            yield SourceFile(info.name, info.size, info.modified_ms)


def is_hidden(path: str) -> bool:
    """Is a file meant for nobody who reads the folder?

    >>> is_hidden("p=1/_SUCCESS"), is_hidden("_p=1/a.parquet")
    (True, False)

    Args:
        path: Below the folder, all of whose own folders are entered.
    """
    name = path.rpartition("/")[2]
    return name.startswith(_HIDDEN) or name.endswith(_IN_COPY)


def _is_text(name: str) -> bool:
    # A name on this machine is bytes; Python has a lone surrogate for each that is none of UTF-8.
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)


def is_entered(folder: str) -> bool:
    """Are the files in a folder looked at? Its path below the root says so.

    Raises:
        DeltaUnsupportedOperationError: PUREDELTA_CONVERT_TABLE_INSIDE, it is the log of a table
            in the folder that is converted.
    """
    above, _, name = folder.rpartition("/")
    if above and name == LOG_FOLDER:
        raise DeltaUnsupportedOperationError("PUREDELTA_CONVERT_TABLE_INSIDE", path=above)
    # Columns may have such names, too.
    return not name.startswith(_HIDDEN) or "=" in name
