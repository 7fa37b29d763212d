"""Which data files were written before a column got its present type; their footers tell."""

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.log.ranged_file import RangedFile
from puredelta.log.snapshot import Snapshot
from puredelta.schema.arrow import to_arrow
from puredelta.storage.location import absolute
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectInfo, Store
from puredelta.table.column_mapping import mapping_mode, physical_schema
from puredelta.table.type_changes import has_older_type

_FOOTERS_AT_ONCE = 16


def files_of_older_types(snapshot: Snapshot) -> list[str]:
    """Return the paths of the files in which a column has another type than in the table.

    Reads the footer of every file.

    Raises:
        DeltaError: a file cannot be read.
    """
    schema = snapshot.schema
    wanted = to_arrow(physical_schema(schema, schema, mapping_mode(snapshot.configuration)))
    whole = pa.struct(list(wanted))
    paths = snapshot.files["path"].to_pylist()
    sizes = snapshot.files["size"].to_pylist()

    def is_older(path: str, size: int) -> bool:
        file = RangedFile(*_place(snapshot.store, path, size))
        found = pq.read_schema(pa.PythonFile(file, mode="r"))
        return has_older_type(pa.struct(list(found)), whole)

    with ThreadPoolExecutor(_FOOTERS_AT_ONCE) as pool:
        older = list(pool.map(is_older, paths, sizes))
    return [path for path, is_it in zip(paths, older, strict=True) if is_it]


def _place(store: Store, path: str, size: int) -> tuple[Store, ObjectInfo]:
    url = absolute(store.url, path)
    if url.startswith(store.url + "/"):
        return store, ObjectInfo(url[len(store.url) + 1 :], size, 0)
    folder, _, name = url.rpartition("/")
    return open_store(folder), ObjectInfo(name, size, 0)
