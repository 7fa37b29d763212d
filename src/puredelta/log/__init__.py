"""What the log says: actions, versions, snapshots; knows no table feature and no Spark.

`open_table` opens a table for reading without Spark:

    >>> from puredelta.log import open_table
    >>> open_table("/data/flights").version  # doctest: +SKIP
    3
"""

from puredelta.log.reader import TableReader, open_table
from puredelta.log.table_log import CacheInfo, cache_info, clear_cache

__all__ = ["CacheInfo", "TableReader", "cache_info", "clear_cache", "open_table"]
