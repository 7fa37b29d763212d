"""Which of the files that an older version needs are gone, as after a VACUUM."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import pyarrow as pa

from puredelta._util.parallel import run_in_parallel
from puredelta.log.actions import DeletionVector
from puredelta.storage.location import absolute
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.table.deletion_vectors.vectors import vector_path

_THREADS = 32
# One listing returns about a thousand names, so it replaces many questions about single files.
_LISTED_FROM = 100


def missing_files(
    store: Store, files: pa.Table, options: Mapping[str, str] | None = None
) -> list[str]:
    """Return the data files and the files of deletion vectors that are gone.

    Args:
        store: The table.
        files: The files that are needed, as rows of `log.files.FILES`.
        options: What the stores of files outside of the table need to get in.

    Returns:
        Their paths, as the log has them; that of a deletion vector as a URL.
    """
    shown = dict(_needed(store.url, files))
    by_folder: dict[str, list[str]] = defaultdict(list)
    for url in shown:
        by_folder[url.rpartition("/")[0]].append(url)
    tasks = [
        (folder, urls[start : start + _task_size(urls)])
        for folder, urls in by_folder.items()
        for start in range(0, len(urls), _task_size(urls))
    ]

    def gone(task: tuple[str, Sequence[str]]) -> list[str]:
        return _gone(store, *task, options)

    found = run_in_parallel(gone, tasks, threads=min(_THREADS, max(1, len(tasks))))
    return [shown[url] for urls in found for url in urls]


def _needed(root: str, files: pa.Table) -> Iterable[tuple[str, str]]:
    """Yield the URL of each file that is needed, with the path to show for it."""
    for path in files["path"].to_pylist():
        yield absolute(root, path), path
    vectors = files["deletion_vector"]
    if vectors.null_count == len(vectors):
        return
    for plain in vectors.drop_null().to_pylist():
        url = vector_path(root, msgspec.convert(plain, DeletionVector))
        if url is not None:
            yield url, url


def _task_size(urls: Sequence[str]) -> int:
    """Return how many files of a folder one task asks for: all of them where it is listed."""
    return len(urls) if len(urls) >= _LISTED_FROM else 1


def _gone(
    store: Store, folder: str, urls: Sequence[str], options: Mapping[str, str] | None
) -> list[str]:
    root = store.url
    is_inside = folder == root or folder.startswith(f"{root}/")
    base = store if is_inside else open_store(folder, options)
    start = len(base.url) + 1
    names = {url[start:]: url for url in urls}
    if len(urls) == 1:
        return [url for name, url in names.items() if base.info(name) is None]
    there = {info.name for info in base.list_from(folder[start:])}
    return [url for name, url in names.items() if name not in there]
