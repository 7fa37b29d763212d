"""Columns whose values may be in any file, by the statistics of the files."""

import json

import pytest

from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    LONG,
    STRING,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.skipping.columns import StatsColumns
from puredelta.table.skipping.spread import is_spread


def spread(data_type, *bounds):
    """Ask about a column with these bounds in one file each; None is a file without."""
    files = files_table(
        [
            AddFile(
                path=f"{place}.parquet",
                partition_values={},
                size=1,
                modification_time=0,
                data_change=True,
                stats=None
                if known is None
                else json.dumps(
                    {"numRecords": 9, "minValues": {"c": known[0]}, "maxValues": {"c": known[1]}}
                ),
            )
            for place, known in enumerate(bounds)
        ]
    )
    columns = StatsColumns(StructType((StructField("c", data_type, True),)))
    return is_spread(("c",), files, columns)


@pytest.mark.parametrize(
    ("data_type", "bounds"),
    [
        (LONG, [(0, 100), (1, 99), (3, 100)]),
        (DecimalType(10, 2), [(0.05, 100), (1.2, 99.5)]),
        (DATE, [("2026-01-01", "2026-12-30"), ("2026-01-02", "2026-12-31")]),
        (DOUBLE, [(-1e9, 1e9), (-1e9, 1e9)]),
        (LONG, [(7, 7), (7, 7)]),
        (LONG, [(0, 100), None, (0, 99)]),
    ],
)
def test_files_with_nearly_the_same_bounds_are(data_type, bounds):
    assert spread(data_type, *bounds)


@pytest.mark.parametrize(
    ("data_type", "bounds"),
    [
        (LONG, [(0, 49), (50, 100)]),
        (LONG, [(0, 100), (0, 80)]),
        (LONG, [(0, 100), (0, 100), (100, 100)]),
        (LONG, [None, None]),
        (STRING, [("a", "z"), ("a", "z")]),
        (LONG, []),
    ],
)
def test_others_are_not(data_type, bounds):
    assert not spread(data_type, *bounds)


def test_column_that_the_table_lacks_is_not():
    assert not is_spread(("x",), files_table([]), StatsColumns(StructType(())))
