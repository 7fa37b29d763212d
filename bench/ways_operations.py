"""The statements that are timed through each way into Spark, in any session that has `sql`.

As a script it finds `spark` ready, or is a client of the Spark Connect server that its second
argument names; the first is the format. It prints RESULT and the seconds of each repetition by
operation.
"""

import json
import sys
import time
from collections.abc import Callable

from pyspark.sql import SparkSession

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
# A JVM compiles what it runs often, and that of a server has run it before.
_WARM, _TIMES = 20, 15


def seconds_of(run: Callable[[str], object], form: str) -> dict[str, list[float]]:
    """Run all statements on a new table, and return the seconds of each repetition.

    Args:
        run: runs a statement and fetches its rows.
        form: `delta` or `parquet`.
    """
    table = f"of_{form}_{time.monotonic_ns()}"
    run(f"CREATE TABLE {table} (id BIGINT, name STRING) USING {form}")
    run(f"INSERT INTO {table} SELECT id, 'old' FROM range(100)")
    found: dict[str, list[float]] = {}
    for name, text in {**OF_BOTH, **(OF_DELTA if form == "delta" else {})}.items():
        for repetition in range(_WARM + _TIMES):
            statement = text.format(table=table, number=1000 + repetition)
            begin = time.perf_counter()
            run(statement)
            if repetition >= _WARM:
                found.setdefault(name, []).append(time.perf_counter() - begin)
    return found


if __name__ == "__main__":
    form, *server = sys.argv[1:]
    session = SparkSession.builder.remote(*server).getOrCreate() if server else globals()["spark"]
    print("RESULT", json.dumps(seconds_of(lambda text: session.sql(text).collect(), form)))
