"""What data files say of their own columns, in their footers, read side by side."""

from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta._util.parallel import run_in_parallel
from puredelta._util.progress import progress
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.log.checkpoint.ranged_file import RangedFile
from puredelta.storage.location import absolute
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectInfo, Store

_FOOTERS_AT_ONCE = 16


def files_whose_schema(
    files: pa.Table,
    store: Store,
    test: Callable[[pa.Schema], bool],
    options: Mapping[str, str] | None = None,
) -> pa.Table:
    """Return those of some files whose schemas pass a test; reads the footer of each.

    Args:
        files: rows of `log.files.FILES`.
        store: where the table lies.
        test: given the schema of a file.
        options: of the file system, for files outside of the table's folder.

    Raises:
        DeltaRuntimeError: PUREDELTA_DATA_FILE_UNREADABLE.
        DeltaError: the store does not give a file.
    """

    def passes(file: tuple[str, int]) -> bool:
        place, info = _place(store, *file, options or {})
        try:
            found = pq.read_schema(pa.PythonFile(RangedFile(place, info), mode="r"))
        except pa.ArrowException as reason:
            raise DeltaRuntimeError(
                "PUREDELTA_DATA_FILE_UNREADABLE", path=file[0], reason=reason
            ) from reason
        return test(found)

    named = zip(files["path"].to_pylist(), files["size"].to_pylist(), strict=True)
    found = run_in_parallel(passes, named, threads=_FOOTERS_AT_ONCE)
    return files.filter(pa.array(_told(found, files.num_rows), pa.bool_()))


def _told(found: Iterator[bool], count: int) -> list[bool]:
    kept = []
    with progress("reading footers", count) as step:
        for file in found:
            kept.append(file)
            step()
    return kept


def _place(
    store: Store, path: str, size: int, options: Mapping[str, str]
) -> tuple[Store, ObjectInfo]:
    url = absolute(store.url, path)
    if url.startswith(store.url + "/"):
        return store, ObjectInfo(url[len(store.url) + 1 :], size, 0)
    folder, _, name = url.rpartition("/")
    return open_store(folder, options), ObjectInfo(name, size, 0)
