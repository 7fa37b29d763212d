"""Options of one table's file system, on their way through Spark's plans by number.

A plan can be printed, cached and compared, so it holds a number in place of keys and passwords.
"""

import itertools
import threading
from collections.abc import Mapping

from puredelta.errors.classes import DeltaIllegalArgumentError
from puredelta.storage.hadoop_options import HADOOP_PREFIXES

_lock = threading.Lock()
_numbers = itertools.count(1)
_by_number: dict[int, dict[str, str]] = {}
_number_of: dict[frozenset[tuple[str, str]], int] = {}


def file_system_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return those options of a reader or writer that are for the file system."""
    return {key: value for key, value in options.items() if key.startswith(HADOOP_PREFIXES)}


def check_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return options that are to be for the file system.

    Raises:
        DeltaIllegalArgumentError: DELTA_TABLE_FOR_PATH_UNSUPPORTED_HADOOP_CONF for others.
    """
    others = sorted(options.keys() - file_system_options(options).keys())
    if others:
        raise DeltaIllegalArgumentError(
            "DELTA_TABLE_FOR_PATH_UNSUPPORTED_HADOOP_CONF",
            allowedPrefixes=list(HADOOP_PREFIXES),
            unsupportedOptions=others,
        )
    return dict(options)


def remember(options: Mapping[str, str]) -> int | None:
    """Return the number of some options, the same for equal ones; None for no options."""
    if not options:
        return None
    key = frozenset(options.items())
    with _lock:
        if key not in _number_of:
            number = _number_of[key] = next(_numbers)
            _by_number[number] = dict(options)
        return _number_of[key]


def recall(number: int | None) -> dict[str, str]:
    """Return the options of a number."""
    return {} if number is None else dict(_by_number[number])
