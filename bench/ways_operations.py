"""The statements that are timed through each way into Spark, and the settings of its session."""

import time
from collections.abc import Callable

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
_WARM, _TIMES = 20, 15


def seconds_of(run: Callable[[str], object]) -> dict[str, list[float]]:
    """Run all statements on a new Delta table, and return the seconds of each repetition.

    Args:
        run: runs a statement and fetches its rows.
    """
    table = f"of_delta_{time.monotonic_ns()}"
    run(f"CREATE TABLE {table} (id BIGINT, name STRING) USING delta")
    run(f"INSERT INTO {table} SELECT id, 'old' FROM range(100)")
    found: dict[str, list[float]] = {}
    for name, text in {**OF_BOTH, **OF_DELTA}.items():
        for repetition in range(_WARM + _TIMES):
            statement = text.format(table=table, number=1000 + repetition)
            begin = time.perf_counter()
            run(statement)
            if repetition >= _WARM:
                found.setdefault(name, []).append(time.perf_counter() - begin)
    return found
