"""The pictures of one table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from puredelta.plots.files_read import draw_files_read
from puredelta.plots.partitions import Measure, draw_partitions
from puredelta.plots.sizes import draw_sizes
from puredelta.plots.versions import draw_versions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Condition_contra = TypeVar("Condition_contra", contravariant=True)


class ChosenFiles(NamedTuple):
    """The files that a condition reads.

    Attributes:
        condition: as text.
        paths: of these files, below the table.
    """

    condition: str
    paths: Collection[str]


class PlottedTable(Protocol):
    """What pictures are made of: rows of the log, as an inspection has them."""

    def files(self) -> PlottedRows:
        """Return the data files."""

    def partitions(self) -> PlottedRows:
        """Return the partitions."""

    def versions(self, limit: int | None = None) -> PlottedRows:
        """Return the versions with the size that the table had."""


class PlottedRows(Protocol):
    """Rows of the log."""

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""


class TablePlots(Generic[Condition_contra]):
    """Pictures of a table, which are made from its log; no data file is read.

    Each method returns a `matplotlib.figure.Figure`: a notebook shows it, `savefig` writes it to a
    file, and its axes can be changed. `pip install "puredelta[plots]"` installs matplotlib.

    Examples:
        >>> table = puredelta.open_table("/data/flights")  # doctest: +SKIP
        >>> table.plot.versions().savefig("flights.svg")  # doctest: +SKIP
    """

    def __init__(
        self,
        label: str,
        table: PlottedTable,
        choose: Callable[[Condition_contra], ChosenFiles],
    ) -> None:
        self._label = label
        self._table = table
        self._choose = choose

    def __repr__(self) -> str:
        return f"TablePlots({self._label})"

    def versions(self, limit: int | None = None) -> Figure:
        """Draw rows and bytes over versions.

        Args:
            limit: how many versions, the newest ones; all by default.

        Raises:
            DeltaUnsupportedOperationError: PUREDELTA_PLOTS_NEED_MATPLOTLIB.
        """
        return draw_versions(self._label, self._table.versions(limit).to_arrow())

    def sizes(self) -> Figure:
        """Draw the histogram of file sizes.

        Raises:
            DeltaUnsupportedOperationError: PUREDELTA_PLOTS_NEED_MATPLOTLIB.
        """
        return draw_sizes(self._label, self._table.files().to_arrow())

    def partitions(self, by: Measure = "size") -> Figure:
        """Draw the skew of partitions: the largest ones, and the median of all.

        Args:
            by: what they are compared by: `size`, `num_records` or `num_files`.

        Raises:
            ValueError: `by` is none of these.
            DeltaUnsupportedOperationError: PUREDELTA_PLOTS_NEED_MATPLOTLIB.
        """
        return draw_partitions(self._label, self._table.partitions().to_arrow(), by)

    def files_read(self, condition: Condition_contra) -> Figure:
        """Draw which files a query with a condition reads.

        Args:
            condition: SQL or a `Column` for a table of a Spark session; for a table that was opened
                without Spark, a filter as `to_arrow` takes it.

        Raises:
            DeltaUnsupportedOperationError: PUREDELTA_PLOTS_NEED_MATPLOTLIB.
        """
        chosen = self._choose(condition)
        return draw_files_read(chosen.condition, self._table.files().to_arrow(), chosen.paths)
