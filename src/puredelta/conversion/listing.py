"""The data files below a folder, found as Spark finds them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.source_table import ICEBERG_METADATA
from puredelta.conversion.streaming_sink_log import has_sink_log, sink_files
from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.names import LOG_FOLDER
from puredelta.storage.store import ObjectInfo, Store

_HIDDEN = ("_", ".")
# What `hdfs dfs -put` calls a file as long as it is not whole.
_IN_COPY = "._COPYING_"
_LOG_OF_HUDI = ".hoodie"
_ICEBERG = re.compile(f"(?:(.+)/)?{ICEBERG_METADATA}", re.DOTALL)


def data_files(store: Store, *, use_metadata_log: bool = True) -> Iterator[SourceFile]:
    """Yield the data files below the root of a store, in the order of their folders' names.

    Args:
        store: The folder that is converted.
        use_metadata_log: Believe the log of a streaming query that wrote the folder, if there is
            one: files that it does not name are left over from attempts that failed.

    Raises:
        DeltaError: The folder cannot be listed, the log of the query not be read, or there is a
            table in it whose format says by other files which rows count.
    """
    if use_metadata_log and has_sink_log(store):
        yield from sink_files(store)
        return
    yield from visible(store.walk("", enters_plain_folders(store.url)), store.url)


def visible(listed: Iterable[ObjectInfo], url: str) -> Iterator[SourceFile]:
    """Yield the files of a listing that are not hidden.

    Args:
        listed: What is in the folders that are entered.
        url: The folder that is converted, for messages.

    Raises:
        DeltaUnsupportedOperationError: DELTA_CONVERT_FILE_NAME_NOT_UTF8, or
            PUREDELTA_CONVERT_ICEBERG_TABLE, it is a table of Iceberg or has one in it.
    """
    for info in listed:
        if not is_hidden(info.name):
            if found := _ICEBERG.fullmatch(info.name):
                raise _table("PUREDELTA_CONVERT_ICEBERG_TABLE", url, found[1] or "")
            if not _is_text(info.name):
                raise DeltaUnsupportedOperationError(
                    "DELTA_CONVERT_FILE_NAME_NOT_UTF8", path=ascii(info.name)[1:-1]
                )
            yield SourceFile(info.name, info.size, info.modified_ms)


def is_hidden(path: str) -> bool:
    """Return whether readers of the folder pass over a file.

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
    """Are the files in a folder looked at? Its path below the root says so."""
    name = folder.rpartition("/")[2]
    # A partition column may begin with an underscore; Spark enters its folders, too.
    return not name.startswith(_HIDDEN) or "=" in name


def enters_plain_folders(url: str) -> Callable[[str], bool]:
    """Return what says `is_entered` of folders, and refuses those that show a table in them.

    What it returns raises DeltaUnsupportedOperationError: PUREDELTA_CONVERT_TABLE_INSIDE for the
    log of a Delta table below the root, PUREDELTA_CONVERT_HUDI_TABLE.

    Args:
        url: The folder that is converted, for messages.
    """

    def enters(folder: str) -> bool:
        above, _, name = folder.rpartition("/")
        if above and name == LOG_FOLDER:
            raise DeltaUnsupportedOperationError("PUREDELTA_CONVERT_TABLE_INSIDE", path=above)
        if name == _LOG_OF_HUDI:
            raise _table("PUREDELTA_CONVERT_HUDI_TABLE", url, above)
        return is_entered(folder)

    return enters


def _table(condition: str, url: str, folder: str) -> DeltaUnsupportedOperationError:
    return DeltaUnsupportedOperationError(condition, path=f"{url}/{folder}" if folder else url)
