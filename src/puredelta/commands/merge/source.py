"""The source of a MERGE, cached while it runs: each of its jobs has to see the same rows."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyroaring import BitMap64
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.engine.session.sessions import setting
from puredelta.engine.session.spark_objects import frame_of_plan, frame_of_rows
from puredelta.engine.write.cached_rows import (
    cache,
    frozen_plan,
    local_plan,
    replan,
)
from puredelta.table.deletion_vectors.bitmaps import WORD_BITS

SOURCE_ROW = "__puredelta_merge_source_row"

# A broadcast puts a copy of the source on every executor; above these bounds Spark chooses the
# join by itself.
_BROADCAST_ROWS = 5_000_000
_BROADCAST_BYTES = 64 << 20

# Up to so many rows, the driver collects the keys as a list; above it, their bounds.
_SHORT = 1_000

# Numbers of rows are listed as bits: 64 neighbouring rows are a word.
_WORD, _LISTED, _BITS = "__puredelta_word", "__puredelta_listed", (1 << WORD_BITS) - 1
_WORDS = StructType([StructField(_WORD, LongType()), StructField(_LISTED, LongType())])

_THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


@dataclass(frozen=True, slots=True)
class Source:
    """Rows to merge, each with a number.

    Attributes:
        frame: the columns of the source, then the number of the row.
        count: how many there are.
        bytes: how large they are, as far as that is known.
        is_small: it can be sent to where the target's rows are.
    """

    frame: DataFrame
    count: int
    bytes: int
    is_small: bool

    @property
    def joined(self) -> DataFrame:
        """The rows as the right side of a join with the target."""
        return F.broadcast(self.frame) if self.is_small else self.frame

    @property
    def is_short(self) -> bool:
        """Whether there are so few rows that the driver may list them."""
        return self.count <= _SHORT

    def without(self, numbers: frozenset[int] | BitMap64) -> DataFrame:
        """Return the rows that do not have some numbers."""
        if not numbers:
            return self.frame
        if len(numbers) <= _SHORT:
            listed = ", ".join(map(str, sorted(numbers)))
            return self.frame.where(f"{SOURCE_ROW} NOT IN ({listed})")
        words: defaultdict[int, int] = defaultdict(int)
        for number in numbers:
            words[number >> WORD_BITS] |= 1 << (number & _BITS)
        rows = ({_WORD: word, _LISTED: _signed(bits)} for word, bits in words.items())
        listed_rows = frame_of_rows(self.frame.sparkSession, rows, _WORDS)
        row = F.col(SOURCE_ROW)
        bit = F.expr(f"shiftright({_LISTED}, cast({SOURCE_ROW} & {_BITS} AS INT)) & 1L")
        is_listed = (F.shiftright(row, WORD_BITS) == F.col(_WORD)) & (bit == 1)
        joined = F.broadcast(listed_rows) if self.is_small else listed_rows
        return self.frame.join(joined, is_listed, "left_anti")


@contextmanager
def cached_source(frame: DataFrame) -> Iterator[Source]:
    """Compute a source once, and number its rows; they are released when the MERGE is done.

    A source that is computed again might give other rows: it may be random, or a table that others
    write to. The numbers would be others, too. A local relation stays as it is.

    Args:
        frame: the source.
    """
    planned = replan(frame)
    plan = local_plan(planned)
    if plan is not None:
        # The plan has the rows; the query itself may call now(), and give another time later.
        rows = frame_of_plan(frame.sparkSession, plan)
        size = int(str(plan.stats().sizeInBytes()))
        yield _measured_source(_numbered(rows), int(plan.data().size()), size)
        return
    # A block that is lost with its executor would be computed again by `persist`, silently and with
    # other values; a local checkpoint fails instead (decision 9).
    compute_once = _persisted if is_cache_safe(frame) else _checkpointed
    with compute_once(_numbered(frozen_plan(planned))) as (rows, measured):
        # This job fills the cache; `DataFrame.count` would need a second one for the sum. The size
        # is known only afterwards.
        count = int(rows._jdf.queryExecution().toRdd().count())
        yield _measured_source(rows, count, measured())


def is_cache_safe(frame: DataFrame) -> bool:
    """Say whether rows that are cached cannot get lost with the executor that has them."""
    return bool(frame.sparkSession.sparkContext._jsc.sc().isLocal())


@contextmanager
def _persisted(rows: DataFrame) -> Iterator[tuple[DataFrame, Callable[[], int]]]:
    cache(rows)
    try:
        yield rows, lambda: int(str(_plan(rows).stats().sizeInBytes()))
    finally:
        rows.unpersist()


@contextmanager
def _checkpointed(rows: DataFrame) -> Iterator[tuple[DataFrame, Callable[[], int]]]:
    """Cache rows so that what gets lost fails the MERGE: computed again, it might be other rows."""
    checkpoint = rows.localCheckpoint(eager=False)
    rdd = checkpoint._jdf.queryExecution().analyzed().rdd()
    context = rows.sparkSession.sparkContext._jsc.sc()

    # The plan of a checkpoint has no size of its own; the block manager knows it.
    def size() -> int:
        found = [cached for cached in context.getRDDStorageInfo() if cached.id() == rdd.id()]
        return sum(int(info.memSize()) + int(info.diskSize()) for info in found)

    try:
        yield checkpoint, size
    finally:
        rdd.unpersist(False)


def _plan(rows: DataFrame) -> Any:
    return rows._jdf.queryExecution().optimizedPlan()


def _numbered(frame: DataFrame) -> DataFrame:
    return frame.select("*", F.monotonically_increasing_id().alias(SOURCE_ROW))


def _measured_source(numbered: DataFrame, count: int, size: int) -> Source:
    # A session that turns broadcasts off means this one, too.
    may = not (setting(numbered.sparkSession, _THRESHOLD) or "").startswith("-")
    # Cached rows are packed; a broadcast copy is not.
    unpacked = count * int(numbered._jdf.schema().defaultSize())
    is_small = may and count <= _BROADCAST_ROWS and max(size, unpacked) <= _BROADCAST_BYTES
    return Source(numbered, count, size, is_small)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
