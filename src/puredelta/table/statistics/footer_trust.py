"""How far the bounds in a footer can be trusted, by the program that wrote the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PARQUET_JAVA = re.compile(r"parquet-mr(?: version (\d+)\.(\d+))?")
# From this version on it compares values by their meaning. Earlier ones ignored NaN, and compared
# decimals and strings by signed bytes.
_ORDERED = (1, 10)

SPARK_VERSION = b"org.apache.spark.version"
LEGACY_DATES = b"org.apache.spark.legacyDateTime"

GREGORIAN_DAYS = -141_427
"""1582-10-15: days before it were moved between calendars, in files of the older one."""

MICROS_1900 = -2_208_988_800_000_000
"""1900-01-01: writers of old had other calendars before it, and zones that were no whole minutes
from UTC."""

# Spark 3 writes the proleptic Gregorian calendar unless a setting asks for the old one, which the
# key for legacy dates records.
_GREGORIAN_SINCE = 3


@dataclass(frozen=True, slots=True)
class Writer:
    """What is known of the program that wrote a file.

    Attributes:
        nan_is_greatest: It puts NaN above all other values, as Spark does; others leave it out of
            the bounds.
        orders_decimals: It orders decimals that are stored as bytes by their values.
        is_hybrid: Its days of before 1582 are of the Julian calendar; Spark moves them when it
            reads the file, and footers do not know of that.
        is_java: It is parquet-java, which Spark and Hive write with.
    """

    nan_is_greatest: bool = False
    orders_decimals: bool = True
    is_hybrid: bool = False
    is_java: bool = False


def writer_of(footer: Any) -> Writer:
    """Return what is known of the program that wrote a file.

    Args:
        footer: A `pyarrow.parquet.FileMetaData`.
    """
    java = _PARQUET_JAVA.match(str(footer.created_by or ""))
    hybrid = is_hybrid(footer.metadata or {})
    if java is None:
        return Writer(is_hybrid=hybrid)
    ordered = java[1] is not None and (int(java[1]), int(java[2])) >= _ORDERED
    return Writer(
        nan_is_greatest=ordered,
        orders_decimals=ordered,
        is_hybrid=hybrid,
        is_java=True,
    )


def is_hybrid(keys: Mapping[bytes, bytes]) -> bool:
    """Say whether days and times of a file may be of the calendar that Spark 2 had.

    Args:
        keys: the key-value metadata of its footer.
    """
    # Only Spark moves days between calendars, and only in files that name it as their writer.
    version = keys.get(SPARK_VERSION)
    if version is None:
        return False
    major = version.partition(b".")[0]
    return not major.isdigit() or int(major) < _GREGORIAN_SINCE or LEGACY_DATES in keys
