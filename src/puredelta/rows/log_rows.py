"""Rows of the log, as Arrow and pandas have them and as notebooks show them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timezone, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from puredelta.notebook.arrow_rows import record_html, rows_html

if TYPE_CHECKING:
    import pandas as pd

_ROWS_SHOWN = 20


class LogRows:
    """Rows of the log, which are computed at first use and then cached.

    A notebook shows the first rows: without empty columns, with sizes and times for people.
    Libraries that take Arrow data take this as it is: `polars.DataFrame(rows)`.
    """

    def __init__(
        self,
        make: Callable[[], pa.Table],
        *,
        zone: tzinfo = timezone.utc,
        is_record: bool = False,
    ) -> None:
        self._make = make
        self._zone = zone
        self._is_record = is_record

    @cached_property
    def _table(self) -> pa.Table:
        return self._make()

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        return self._table

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame."""
        frame: pd.DataFrame = self._table.to_pandas()
        return frame

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        names = ", ".join(self._table.column_names)
        return f"{type(self).__name__}({len(self):,} rows of {names})"

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook, or the facts of a single record."""
        if self._is_record:
            return record_html(self._table, zone=self._zone)
        return rows_html(self._table, _ROWS_SHOWN, self._zone)
