"""Options of one table's file system, on their way through Spark's plans by number.

A plan can be printed, cached and compared, so it holds a number in place of keys and passwords.
Nothing says when the last plan with a number is gone. So the sets that were used last are kept,
until the context stops that all plans need.
"""

import itertools
import threading
from collections import OrderedDict
from collections.abc import Mapping

from puredelta.errors.classes import DeltaIllegalArgumentError, DeltaIllegalStateError
from puredelta.storage.hadoop_options import HADOOP_PREFIXES

# So many different sets are kept, those that were used last.
_SETS_KEPT = 256

_lock = threading.Lock()
_numbers = itertools.count(1)  # none is given twice
_by_number: OrderedDict[int, dict[str, str]] = OrderedDict()  # used last is last
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
        number = _number_of.get(key)
        if number is None:
            number = _number_of[key] = next(_numbers)
            _by_number[number] = dict(options)
        _by_number.move_to_end(number)
        if len(_by_number) > _SETS_KEPT:
            _, dropped = _by_number.popitem(last=False)
            # A set that comes back gets a new number: plans with the old one must not work again by
            # chance.
            del _number_of[frozenset(dropped.items())]
        return number


def recall(number: int | None) -> dict[str, str]:
    """Return the options of a number.

    Raises:
        DeltaIllegalStateError: PUREDELTA_TABLE_OPTIONS_DROPPED for options that are not kept any
            more: a table must not be read with those of the session in their place.
    """
    if number is None:
        return {}
    with _lock:
        found = _by_number.get(number)
        if found is None:
            raise DeltaIllegalStateError("PUREDELTA_TABLE_OPTIONS_DROPPED", most=_SETS_KEPT)
        _by_number.move_to_end(number)
        return dict(found)


def forget_options() -> None:
    """Drop all options, with the keys and passwords in them: no plan can use them any more."""
    with _lock:
        _by_number.clear()
        _number_of.clear()
