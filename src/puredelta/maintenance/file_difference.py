"""How the files of two versions differ: by path and deletion vector, which identify a file.

Protocol: Action Reconciliation.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted

_NOTHING = pa.scalar("", pa.string())


def files_not_in(files: pa.Table, others: pa.Table) -> pa.Table:
    """Return the files of a version that another version lacks.

    A file that has another deletion vector is another one: other rows of it are live.

    Args:
        files: Rows of `log.files.FILES`.
        others: Likewise, of the other version.
    """
    found = pc.is_in(_identities(files), value_set=_identities(others).combine_chunks())
    return files.filter(pc.invert(found))


def _identities(files: pa.Table) -> pa.ChunkedArray:
    """Return the identity of each file as one string, so that Arrow can compare many at once."""
    vectors = files["deletion_vector"]
    if vectors.null_count == len(vectors):
        return files["path"]
    parts = [pc.struct_field(vectors, name) for name in ("storageType", "pathOrInlineDv", "offset")]
    ids = [pc.fill_null(pc.cast(part, pa.string()), _NOTHING) for part in parts]
    # A file without a vector has its path alone, as in versions where no file has one.
    marked = pc.binary_join_element_wise(files["path"], *ids, "\n")
    return pc.if_else(pc.is_valid(vectors), marked, files["path"])


def live_row_count(files: pa.Table) -> int | None:
    """Return how many rows of some files are not deleted; None where a file does not say.

    Args:
        files: Rows of `log.files.FILES`.
    """
    if not files.num_rows:
        return 0
    counts = num_records(files)
    if counts.null_count:
        return None
    return int(pc.sum(counts).as_py() - pc.sum(num_deleted(files)).as_py())
