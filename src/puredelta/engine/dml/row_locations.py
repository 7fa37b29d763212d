"""Which file of a table a row lies in."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from puredelta.engine.scan.file_listing import absolute_paths
from puredelta.errors.classes import DeltaIllegalStateError
from puredelta.storage.location import decode_path

# Spark writes file:///t where Hadoop has file:/t.
_SLASHES = r"^([A-Za-z][A-Za-z0-9+.\-]*):/+"


def with_file(rows: DataFrame, name: str) -> DataFrame:
    """Add a column with the file that each row lies in, as Spark names it.

    Args:
        rows: a scan of a table's files.
        name: of the new column.
    """
    return rows.withColumn(name, rows.metadataColumn("_metadata").getField("file_path"))


def file_positions(spark_names: Sequence[str], files: pa.Table, root: str) -> pa.Array:
    """Return where files are among the rows of a table of files.

    Args:
        spark_names: files as `with_file` has them.
        files: rows of `log.files.FILES`.
        root: the table's folder, as Hadoop names it.

    Raises:
        DeltaIllegalStateError: PUREDELTA_STRANGE_FILE: Spark read a file by another name.
    """
    known = _one_spelling(absolute_paths(files["path"], root))
    # `_metadata.file_path` is URL-encoded, the paths of the listing are not.
    names = pa.array([decode_path(name) for name in spark_names], pa.string())
    places = pc.index_in(_one_spelling(names), value_set=known)
    # A row of an unknown file would be left out of the statement without a trace.
    if places.null_count:
        strange = names.filter(places.is_null())
        raise DeltaIllegalStateError("PUREDELTA_STRANGE_FILE", path=strange[0], tableName=root)
    return places


def _one_spelling(paths: pa.Array | pa.ChunkedArray) -> pa.Array:
    plain = pc.replace_substring_regex(paths, _SLASHES, r"\1:/")
    return plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain
