"""Which table a command is about: where it lies and what the user calls it."""

from dataclasses import dataclass

from puredelta.log.refresh import TableLog, open_log
from puredelta.storage.location import table_url


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRef:
    """A table by its place.

    Attributes:
        root: its folder, as Hadoop names it: `file:/tmp/t`.
        name: its full name in the catalog, `spark_catalog.default.t`; None for a path.
    """

    root: str
    name: str | None = None

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
        return open_log(self.url)
