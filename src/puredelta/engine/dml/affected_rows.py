"""Which rows of which files a condition selects, found by one job without Python on executors."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.dml.row_locations import file_positions
from puredelta.log.file_stats import num_records
from puredelta.table.deletion_vectors.bitmaps import MOST_LISTED_ROWS, WORD_BITS, bitmap_of_words

FILE, PLACE = "__puredelta_file_of_row", "__puredelta_place_in_file"
"""Columns that `with_row_positions` adds: the file that a row lies in, and its number there."""

WORD, BITS = "__puredelta_word", "__puredelta_bits"
"""Columns of rows in words: 64 neighbouring rows of a file, each of which is a bit."""

_WORDS = "__puredelta_words"

# Each word repeats the name of its file, which is longer: above this it would fill the driver.
_FEW_ROWS = MOST_LISTED_ROWS


@dataclass(frozen=True, slots=True)
class AffectedRows:
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


def with_row_positions(rows: DataFrame) -> DataFrame:
    """Add the columns `FILE` and `PLACE` to a scan, which say which row of which file each row is.

    Args:
        rows: a scan of a table's files, with nothing but filters and aliases upon it.
    """
    metadata = rows.metadataColumn("_metadata")
    return rows.withColumns(
        {FILE: metadata.getField("file_path"), PLACE: metadata.getField("row_index")}
    )


def find_affected_rows(placed: DataFrame, files: pa.Table, root: str) -> AffectedRows:
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
    # A join may give rows of its other side alone, which are in no file.
    own = placed.where(F.col(FILE).isNotNull())
    # `bit_or` is idempotent: a row that is in the result twice is still one bit.
    words = own.groupBy(FILE, word_of_row()).agg(F.bit_or(bit_of_row()).alias(BITS))
    collected = words.toArrow() if _has_few_rows(files) else _collected_by_file(words)
    return rows_of_words(collected, files, root)


def _has_few_rows(files: pa.Table) -> bool:
    """Say whether all words of files may come to the driver with the names of their files."""
    counts = num_records(files)
    # Without a row count the result may be of any size, so the compact way is taken.
    return not counts.null_count and (pc.sum(counts).as_py() or 0) <= _FEW_ROWS


def _collected_by_file(words: DataFrame) -> pa.Table:
    """Return words from the executors, each file's name only once: it is longer than a word."""
    words_of_file = F.collect_list(F.struct(WORD, BITS)).alias(_WORDS)
    listed = words.groupBy(FILE).agg(words_of_file).toArrow().combine_chunks()
    lists = listed[_WORDS].combine_chunks()
    names = listed[FILE].combine_chunks().dictionary_encode()
    found = lists.flatten()
    return pa.table(
        {
            FILE: names.take(pc.list_parent_indices(lists)),
            WORD: found.field(WORD),
            BITS: found.field(BITS),
        }
    )


def word_of_row() -> Column:
    """Return the number of the word that a row is in, as a column `WORD`."""
    return F.shiftright(F.col(PLACE), WORD_BITS).alias(WORD)


def bit_of_row() -> Column:
    """Return a number with the one bit that a row is in its word."""
    return F.expr(f"shiftleft(1L, cast({PLACE} & {(1 << WORD_BITS) - 1} AS INT))")


def rows_of_words(words: pa.Table, files: pa.Table, root: str) -> AffectedRows:
    """Return the rows of a table's files that words identify.

    Args:
        words: `FILE`, `WORD` and `BITS`, one line for each word.
        files: the files that were scanned, as `log.files.FILES`.
        root: the table's folder, as Hadoop names it.

    Raises:
        DeltaIllegalStateError: PUREDELTA_STRANGE_FILE: Spark read a file by another name.
    """
    names = words[FILE].combine_chunks().dictionary_encode()
    # File names repeat for each word: they are looked up once by name, and by index from then on.
    known = file_positions(names.dictionary.to_pylist(), files, root)
    places = known.take(names.indices)
    # Sorting by file makes the words of each file one slice, without a loop over words.
    order = pc.sort_indices(places)
    sorted_places = np.asarray(places.take(order))
    numbers = np.asarray(words[WORD].combine_chunks().take(order))
    bits = np.asarray(words[BITS].combine_chunks().take(order))
    found, starts = np.unique(sorted_places, return_index=True)
    bitmaps = map(bitmap_of_words, np.split(numbers, starts[1:]), np.split(bits, starts[1:]))
    return AffectedRows(files.take(pa.array(found)), tuple(bitmaps) if len(found) else ())
