"""Which rows of which files a condition selects, found by one job without Python on executors."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.row_files import places_of
from puredelta.table.row_words import WORD_BITS, bitmap_of_words

FILE, PLACE = "__file_of_row", "__place_in_file"
"""Columns that `with_places` adds: the file that a row lies in, and its number there."""

_WORD, _BITS = "__word", "__bits"


@dataclass(frozen=True, slots=True)
class TouchedRows:
    """Rows of some files of a table.

    Attributes:
        files: the files that have such rows, as `log.files.FILES`.
        rows: which rows of each, by their numbers in the file; none is deleted already.
    """

    files: pa.Table = field(repr=False)
    rows: tuple[BitMap64, ...] = field(repr=False)

    @property
    def count(self) -> int:
        """How many rows there are in all."""
        return sum(map(len, self.rows))


def with_places(rows: DataFrame) -> DataFrame:
    """Add the columns `FILE` and `PLACE` to a scan, which say which row of which file each row is.

    Args:
        rows: a scan of a table's files, with nothing but filters and aliases upon it.
    """
    metadata = rows.metadataColumn("_metadata")
    return rows.withColumns(
        {FILE: metadata.getField("file_path"), PLACE: metadata.getField("row_index")}
    )


def touched_rows(placed: DataFrame, files: pa.Table, root: str) -> TouchedRows:
    """Run a query and find out which rows of a table's files are in its result.

    Executors put 64 neighbouring rows into one number, so that little crosses over to the driver.

    Args:
        placed: a query with the columns `FILE` and `PLACE`, null in rows that are not the table's;
            a row may be in it more than once.
        files: the files that were scanned, as `log.files.FILES`.
        root: the table's folder, as Hadoop names it.

    Raises:
        DeltaIllegalStateError: PUREDELTA_STRANGE_FILE: Spark read a file by another name.
    """
    word = F.shiftright(F.col(PLACE), WORD_BITS).alias(_WORD)
    bit = F.expr(f"shiftleft(1L, cast({PLACE} & {(1 << WORD_BITS) - 1} AS INT))")
    own = placed.where(F.col(FILE).isNotNull())
    counted = own.groupBy(FILE, word).agg(F.bit_or(bit).alias(_BITS)).toArrow()
    return _by_file(counted, files, root)


def _by_file(counted: pa.Table, files: pa.Table, root: str) -> TouchedRows:
    names = counted[FILE].combine_chunks().dictionary_encode()
    # What Spark calls a file -> its place among the files scanned, for each word.
    known = places_of(names.dictionary.to_pylist(), files, root)
    places = known.take(names.indices)
    order = pc.sort_indices(places)
    sorted_places = np.asarray(places.take(order))
    words = np.asarray(counted[_WORD].combine_chunks().take(order))
    bits = np.asarray(counted[_BITS].combine_chunks().take(order))
    found, starts = np.unique(sorted_places, return_index=True)
    bitmaps = map(bitmap_of_words, np.split(words, starts[1:]), np.split(bits, starts[1:]))
    return TouchedRows(files.take(pa.array(found)), tuple(bitmaps) if len(found) else ())
