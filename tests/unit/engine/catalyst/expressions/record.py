"""Writes down how Spark tells expressions in JSON, for tests that need no Spark.

Run it by hand, with the PySpark to record:
`python tests/unit/engine/catalyst/expressions/record.py`.
"""

import json
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

COLUMNS = """
    b BYTE, i INT, l BIGINT, f FLOAT, d DOUBLE, bo BOOLEAN, st STRING, da DATE, ts TIMESTAMP,
    nt TIMESTAMP_NTZ, de DECIMAL(10,2), ch CHAR(5), n STRUCT<a: INT, `x.y`: STRUCT<c: STRING>>,
    arr ARRAY<INT>, co STRING COLLATE UTF8_LCASE, `we ird` INT
"""
ANALYSED = [
    "i <=> NULL", "l < 3", "b = 5", "st LIKE 'ab%'", "st LIKE 'a/%b_c' ESCAPE '/'", "st LIKE 'abc'",
    "i BETWEEN 1 AND 5", "da > TIMESTAMP '2020-01-02 03:04:05'", "ts > nt", "i = NULL",
    "CAST(ts AS DATE) = DATE '2020-01-01'", "i + 1 > 3", "ch = 'ab'", "(i = 5) = FALSE",
    "st IN ('a', NULL)", "year(ts) = 2020",
]  # fmt: skip
OPTIMISED = [
    "i = 5", "d > 1", "f = CAST('NaN' AS FLOAT)", "st = 'a\\'b{ü'", "startswith(st, 'x')",
    "i IN (1, 2)", "i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)", "i IS NULL",
    "n IS NULL", "n.`x.y`.c = 'x'", "arr[0] = 1", "NOT bo", "da = '2020-01-02'", "de > 10.25",
    "ts > TIMESTAMP '2020-10-25 02:30:00'", "nt < TIMESTAMP_NTZ '2020-01-02 03:04:05.123456'",
    "ch = 'ab'", "i > (SELECT max(id) FROM range(3))", "co = 'abc'", "rand(1) > 0.5",
    "`we ird` = 1", "isnan(d)", "i != 5", "i = 5 IS NULL", "bo IS NOT TRUE", "nvl(bo, TRUE)",
    "i = l", "i = 1 OR (l = 2 AND d IS NULL)", "i IS DISTINCT FROM 3", "st RLIKE 'x'",
    "i = 1 AND l = 2",
]  # fmt: skip


def main() -> None:
    """Record all expressions into a file named after the version."""
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "Europe/Berlin")
        .getOrCreate()
    )
    session.sql(f"CREATE TABLE recorded ({COLUMNS}) USING parquet")
    try:
        told = {
            "analysed": {sql: _told(session, sql, "analyzed") for sql in ANALYSED},
            "optimised": {sql: _told(session, sql, "optimizedPlan") for sql in OPTIMISED},
        }
    finally:
        session.sql("DROP TABLE recorded")
    place = Path(__file__).with_name(f"{pyspark.__version__}.json")
    place.write_text(json.dumps(told, ensure_ascii=False, indent=None) + "\n")


def _told(session: SparkSession, sql: str, plan: str) -> list[object]:
    node = getattr(session.table("recorded").where(sql)._jdf.queryExecution(), plan)()
    while node.getClass().getSimpleName() != "Filter":
        if not node.children().size():
            return []
        node = node.children().apply(0)
    return json.loads(node.condition().toJSON())


if __name__ == "__main__":
    main()
