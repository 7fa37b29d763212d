"""Which table a command is about: where it lies and what the user calls it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.table_log import TableLog, open_log
from puredelta.storage.location import table_url


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRef:
    """A table by its place.

    Attributes:
        root: its folder, as Hadoop names it: `file:/tmp/t`.
        name: its full name in the catalog, `spark_catalog.default.t`; None for a path.
        options: what its file system needs beyond the session's settings, in Hadoop's names.
    """

    root: str
    name: str | None = None
    options: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)

    @property
    def url(self) -> str:
        """The folder in the form of the log's stores."""
        return table_url(self.root)

    @property
    def label(self) -> str:
        """What messages call it."""
        return self.name or f"delta.`{self.root}`"

    def log(self) -> TableLog:
        """Open the table's log."""
        return open_log(self.url, self.options)


def partition_alone(path: str) -> DeltaAnalysisError:
    """Return the error for a change of one partition by its folder."""
    return DeltaAnalysisError(
        "DELTA_UNEXPECTED_PARTIAL_SCAN",
        path=path,
        reason="it is one partition of a Delta table, or belongs to one, and only the table as a "
        "whole can be changed. Write to the table's own path; replaceWhere replaces one partition.",
    )


def partial_view(table: TableRef) -> DeltaAnalysisError:
    """Return the error for a change of a table by a view that shows a part of it."""
    return DeltaAnalysisError(
        "DELTA_UNEXPECTED_PARTIAL_SCAN",
        path=table.root,
        reason="the view of it leaves rows or columns out, or gives columns other names. Name the "
        "table itself, or a view that is SELECT * FROM it.",
    )
