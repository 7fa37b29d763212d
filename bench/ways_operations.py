"""The statements that are timed through each way into Spark, and the settings of its session."""

import tempfile
import time
from collections.abc import Callable, Mapping

READ, COUNT, INSERT, DELETE, MERGE = "read", "count", "insert", "delete", "merge"

# What Parquet has, too.
OF_BOTH = {
    READ: "SELECT * FROM {table} WHERE id = 7",
    COUNT: "SELECT count(*) FROM {table} WHERE id > 7",
    INSERT: "INSERT INTO {table} VALUES ({number}, 'new')",
}
OF_DELTA = {
    DELETE: "DELETE FROM {table} WHERE id = {number}",
    MERGE: (
        "MERGE INTO {table} t USING (SELECT {number}L AS id, 'merged' AS name) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT *"
    ),
}
SMALL = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
}
# A JVM compiles what it runs often.
_WARM, TIMES = 30, 40

Run = Callable[[str], object]


def seconds_in_turns(ways: Mapping[str, Run]) -> dict[str, dict[str, list[float]]]:
    """Run all statements in several ways, each on its new Delta table, and each in turns.

    Args:
        ways: what runs a statement and fetches its rows, by the name of the way.

    Returns:
        The seconds of each repetition, by way and statement.
    """
    # Found by path: Spark's own Thrift server has its tables in a metastore, which takes 15 ms to
    # find one.
    tables = {way: f"delta.`{tempfile.mkdtemp()}/{way}`" for way in ways}
    for way, run in ways.items():
        run(f"CREATE TABLE {tables[way]} (id BIGINT, name STRING) USING delta")
        run(f"INSERT INTO {tables[way]} SELECT id, 'old' FROM range(100)")
    found: dict[str, dict[str, list[float]]] = {way: {} for way in ways}
    for name, text in {**OF_BOTH, **OF_DELTA}.items():
        for repetition in range(_WARM + TIMES):
            # The second one finds the caches of the processor as the first one left them.
            order = list(ways) if repetition % 2 else list(reversed(ways))
            for way in order:
                statement = text.format(table=tables[way], number=1000 + repetition)
                begin = time.perf_counter()
                ways[way](statement)
                if repetition >= _WARM:
                    found[way].setdefault(name, []).append(time.perf_counter() - begin)
    return found
