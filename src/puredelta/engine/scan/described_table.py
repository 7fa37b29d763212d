"""A table as the adapters show it to Spark, `puredelta.LoadedTable`, and a DataFrame over it."""

from collections.abc import Mapping, Sequence

import msgspec
from pyspark.sql import DataFrame, SparkSession

from puredelta.engine.bridge.classes import new, static_method
from puredelta.engine.scan.handle import ScanHandle, to_json

UNKNOWN_SIZE = 1 << 62
"""In bytes, for plans: larger than what would be copied to every executor."""


class DescribedTable(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What Spark sees of a table.

    Attributes:
        handle: by what its files are found again.
        name: what messages call it.
        schema: its columns, as the JSON of Spark.
        partitions: the columns that partition it.
        bytes: its size for plans; UNKNOWN_SIZE where that is not known.
        properties: what SHOW TBLPROPERTIES shows.
        cluster_by: the clustering columns, as SQL writes their paths.
        options: of its file system.
    """

    handle: ScanHandle
    name: str
    schema: str
    partitions: Sequence[str]
    bytes: int
    properties: Mapping[str, str] = {}
    cluster_by: Sequence[str] = ()
    options: Mapping[str, str] = {}

    def to_json(self) -> str:
        """Return the description as the adapters read it."""
        return to_json(self)

    def frame(self, session: SparkSession) -> DataFrame:
        """Return the rows of the table; its plan holds the handle."""
        parsed = static_method("puredelta.Bridge", "parse")(self.to_json())
        table = new("puredelta.LoadedTable", parsed)
        jsession = session._jsparkSession
        relation = static_method("puredelta.TableFiles", "relation")(table, jsession)
        return DataFrame(jsession.baseRelationToDataFrame(relation), session)
