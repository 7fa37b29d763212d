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
        user_metadata: a text for the commit.
        data_change: False says that rows were only rearranged.
        app: id and version of the writing application: a version that the table has is skipped.
        properties: table properties for a table that the write creates.
        parquet: options of Spark's Parquet writer.
    """

    merge_schema: bool | None = None
    overwrite_schema: bool = False
    replace_where: str | None = None
    dynamic_overwrite: bool | None = None
    user_metadata: str | None = None
    data_change: bool = True
    app: tuple[str, int] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    parquet: Mapping[str, str] = field(default_factory=dict)
