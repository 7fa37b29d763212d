"""What a write was asked for besides its rows: the options of the writers, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Options of a write, checked.

    Attributes:
        merge_schema: add columns that the table lacks.
        overwrite_schema: an overwrite takes schema and partitioning from the data.
        replace_where: an overwrite replaces only the rows that match, in SQL.
        dynamic_overwrite: an overwrite replaces the partitions that get rows; None: as the session.
        replace_on: an overwrite replaces the rows for which this is true with a new row, in SQL.
        target_alias: what `replace_on` calls the table.
        replace_using: an overwrite replaces the rows equal to a new one in these columns, as they
            were listed.
        null_intolerant: a dynamic overwrite spares partitions without a value; None: not said.
        optimize_write: shuffle before writing, for fewer files; None: as session and table say.
        user_metadata: a text for the commit.
        data_change: False says that rows were only rearranged.
        dry_run: check and count what the write would do, print it, and commit nothing.
        app: id and version of the writing application: a version that the table has is skipped.
        properties: table properties for a table that the write creates.
        parquet: options of Spark's Parquet writer.
    """

    merge_schema: bool | None = None
    overwrite_schema: bool = False
    replace_where: str | None = None
    dynamic_overwrite: bool | None = None
    replace_on: str | None = None
    target_alias: str | None = None
    replace_using: str | None = None
    null_intolerant: bool | None = None
    optimize_write: bool | None = None
    user_metadata: str | None = None
    data_change: bool = True
    dry_run: bool = False
    app: tuple[str, int] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    parquet: Mapping[str, str] = field(default_factory=dict)

    @property
    def matches_data(self) -> bool:
        """Whether an overwrite replaces the rows for which there is a match in the data."""
        return self.replace_on is not None or self.replace_using is not None

    @property
    def using_columns(self) -> tuple[str, ...]:
        """The columns of `replace_using`."""
        return tuple(name.strip() for name in (self.replace_using or "").split(","))
