"""Rows along a curve over files: a sample gives all bounds, then one shuffle moves the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.curves.bounds import (
    Bounds,
    bounds_between,
    local_frame,
    local_row,
    searchable,
)
from puredelta.engine.curves.keys import key_columns
from puredelta.engine.curves.partition_numbers import numbers_of_partitions
from puredelta.table.clustering.z_order import WORD_BITS, id_bits

_KEY = "__puredelta_curve_key"
_FILE = "__puredelta_curve_file"
_ROWS = "sampled"

# Rows of equal keys are spread over files by so many bits that have nothing to do with them.
_NOISE_BITS = 8

# Bounds compare the beginnings of long strings only: a sample of long strings would not fit into
# the memory of the driver.
_MAX_LENGTH = 128
_CUT = ("string", "binary", "char", "varchar")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """How rows are ordered.

    Attributes:
        columns: The columns to order by, as expressions over the rows.
        is_hilbert: Whether the curve is the Hilbert curve; else it is Z-order.
        ranges: Into how many ranges the values of a column are divided.
        samples: How many rows are sampled for each range or file.
        adds_noise: Whether rows of equal keys may go to several files.
        sorts: Whether the rows of each file are sorted along the curve.
    """

    columns: Sequence[Column]
    is_hilbert: bool
    ranges: int = 1000
    samples: int = 100
    adds_noise: bool = True
    sorts: bool = False


def along_curve(rows: DataFrame, curve: Curve, files: int, row_count: int | None) -> DataFrame:
    """Return rows in so many partitions, each of which is a part of a curve.

    A sample of the columns is the only other pass over the rows. The bounds of the ranges and those
    of the files both come from it.

    Args:
        rows: The rows.
        curve: How they are ordered.
        files: How many partitions to make.
        row_count: How many rows there are, about; None if that is not known.
    """
    if files == 1 and not curve.sorts:
        # All rows of a file are in the same place on any curve.
        return rows.coalesce(1)
    sample = _sample(rows, curve, files, row_count)
    bounds = _range_bounds(sample, curve)
    key = _key(_searchable_columns(rows, curve.columns), bounds, curve)
    noise = F.monotonically_increasing_id().bitwiseAND(F.lit((1 << _NOISE_BITS) - 1))
    keyed = rows.withColumn(_KEY, _with_noise(key, noise, curve))
    moved = _moved(keyed, sample, bounds, curve, files)
    ordered = moved.sortWithinPartitions(_KEY) if curve.sorts else moved
    return ordered.drop(_KEY, _FILE)


def _moved(
    keyed: DataFrame, sample: DataFrame, bounds: Sequence[Bounds], curve: Curve, files: int
) -> DataFrame:
    if files == 1:
        return keyed.repartition(1)
    [between] = bounds_between(_sorted_keys(sample, bounds, curve), files)
    file = between.lookup(F.col(_KEY), numbers_of_partitions(files)[: between.count + 1])
    return keyed.withColumn(_FILE, file).repartition(files, F.col(_FILE))


def _sample(rows: DataFrame, curve: Curve, files: int, row_count: int | None) -> DataFrame:
    """Return the columns of sampled rows: one local row with an array of them."""
    count = rows.count() if row_count is None else row_count
    wanted = curve.samples * max(curve.ranges, files)
    columns = _searchable_columns(rows, curve.columns)
    names = [f"c{place}" for place in range(len(columns))]
    chosen = rows.select(*[column.alias(name) for column, name in zip(columns, names, strict=True)])
    chosen = chosen.select(*[_cut(chosen, name).alias(name) for name in names])
    if count > wanted:
        chosen = chosen.sample(withReplacement=False, fraction=wanted / count, seed=count)
    gathered = chosen.agg(F.collect_list(F.struct(*names)).alias(_ROWS))
    return local_frame(gathered, local_row(gathered))


def _range_bounds(sample: DataFrame, curve: Curve) -> list[Bounds]:
    """Return the bounds of the ranges of each column."""
    # A field of an array of rows is the array of their values.
    arrays = [
        F.array_sort(F.filter(F.col(_ROWS)[name], Column.isNotNull)).alias(name)
        for name in _names(curve)
    ]
    values = sample.select(*arrays)
    return bounds_between(local_frame(values, local_row(values)), curve.ranges)


def _sorted_keys(sample: DataFrame, bounds: Sequence[Bounds], curve: Curve) -> DataFrame:
    """Return the sorted keys of the sampled rows: one local row with an array of them."""
    rows = sample.select(F.posexplode(_ROWS).alias("place", "row"))
    key = _key([F.col("row")[name] for name in _names(curve)], bounds, curve)
    noise = F.col("place").bitwiseAND(F.lit((1 << _NOISE_BITS) - 1)).cast("long")
    keys = rows.select(_with_noise(key, noise, curve).alias("key"))
    found = keys.agg(F.array_sort(F.collect_list("key")).alias("keys"))
    return local_frame(found, local_row(found))


def _key(columns: Sequence[Column], bounds: Sequence[Bounds], curve: Curve) -> list[Column]:
    pairs = list(zip(columns, bounds, strict=True))
    return key_columns(pairs, curve.ranges, is_hilbert=curve.is_hilbert)


def _with_noise(words: Sequence[Column], noise: Column, curve: Curve) -> Column:
    """Return a key and its noise as a single value; one number is the fastest to search for."""
    if not curve.adds_noise:
        return words[0] if len(words) == 1 else F.struct(*words)
    if len(words) == 1 and len(curve.columns) * id_bits(curve.ranges) <= WORD_BITS - _NOISE_BITS:
        return F.shiftleft(words[0], _NOISE_BITS) + noise
    return F.struct(*words, noise)


def _names(curve: Curve) -> list[str]:
    return [f"c{place}" for place in range(len(curve.columns))]


def _searchable_columns(rows: DataFrame, columns: Sequence[Column]) -> list[Column]:
    kinds = [field.dataType for field in rows.select(*columns).schema]
    return [searchable(column, kind) for column, kind in zip(columns, kinds, strict=True)]


def _cut(rows: DataFrame, name: str) -> Column:
    kind = rows.schema[name].dataType.typeName()
    return F.substring(name, 1, _MAX_LENGTH) if kind in _CUT else F.col(name)
