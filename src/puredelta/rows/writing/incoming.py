"""Rows of pandas, polars and Arrow, as one Arrow table."""

from __future__ import annotations

import sys
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from puredelta.errors import DeltaIllegalArgumentError


class ArrowStream(Protocol):
    """Rows that Arrow can take over: of pandas, polars, DuckDB, pyarrow and others.

    Type checkers need none of these packages to know it. pandas has had the method since 2.2; rows
    of older ones are taken, too.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as a stream of Arrow."""
        ...


class LazyRows(Protocol):
    """A query of polars that has not run: a `LazyFrame`."""

    def collect(self) -> ArrowStream:
        """Run it."""
        ...


LocalRows: TypeAlias = ArrowStream | LazyRows
"""Rows of this process: a DataFrame of pandas or polars, or a table, batch or reader of Arrow."""


def arrow_table(given: Any, name: str) -> pa.Table:
    """Return rows of this process as an Arrow table.

    What pandas has no value for is null, NaN among it, and its index is left out. A stream is read
    to its end, a query of polars is run.

    Args:
        given: a DataFrame of pandas or polars, a LazyFrame, or anything that Arrow takes.
        name: what the argument is called, for errors.

    Raises:
        TypeError: it is something else.
        DeltaIllegalArgumentError: PUREDELTA_ROWS_NOT_ARROW: a column has values of several types.
    """
    try:
        if _is_of("pandas", "DataFrame", given):
            return pa.Table.from_pandas(given, preserve_index=False)
        if _is_of("polars", "LazyFrame", given):
            given = given.collect()
        if isinstance(given, pa.RecordBatchReader):
            return given.read_all()
        if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
            return pa.table(given)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as reason:
        raise DeltaIllegalArgumentError(
            "PUREDELTA_ROWS_NOT_ARROW", name=name, reason=_in_one_line(reason)
        ) from reason
    raise TypeError(f"{name} must be rows of pandas, polars or Arrow, not {type(given)}")


def _is_of(package: str, kind: str, given: Any) -> bool:
    # A value of such a class exists only after an import of its package, which may be missing here.
    module = sys.modules.get(package)
    return module is not None and isinstance(given, getattr(module, kind))


def _in_one_line(reason: pa.ArrowException) -> str:
    parts = [str(part).strip() for part in reason.args]
    return ": ".join(part.rstrip(".") for part in reversed(parts))
