"""Statements of Spark SQL, each with a table as it is before and the rows that it has."""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.endurance.kills.plain_cases import PARTS, Rows

SOURCE = "source"
"""The name of a table that is cloned, beside the table."""

_VECTORS = {"delta.enableDeletionVectors": "true"}
_SHORT = {
    "delta.logRetentionDuration": "interval 1 days",
    "delta.deletedFileRetentionDuration": "interval 1 days",
}
_MERGE = (
    "MERGE INTO {t} AS t USING (SELECT id + 15 AS id, 'b' AS p FROM range(10)) AS s ON t.id = s.id "
    "WHEN MATCHED AND t.id < 18 THEN DELETE "
    "WHEN MATCHED THEN UPDATE SET t.p = 'c' WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, s.p)"
)


def _ordered(rows: Sequence[tuple[int, str]]) -> Rows:
    return tuple(sorted(rows))


def rows_between(start: int, end: int) -> Rows:
    """Return rows whose ids are of a range."""
    return tuple((number, PARTS[number % 2]) for number in range(start, end))


BEFORE = rows_between(0, 20)


def _prepare_nothing(_: Path) -> None:
    pass


@dataclass(frozen=True)
class SparkCase:
    """A statement of Spark's, in which `{t}` is the table and `{s}` another one beside it.

    Attributes:
        statement: what is killed; empty for the batch of a stream.
        after: the rows after it.
        before: the rows before it; None where there is no table.
        make: statements that make what is there before.
        prepare: works on the table's folder after that.
    """

    statement: str
    after: Rows
    before: Rows | None = BEFORE
    make: Sequence[str] = ()
    prepare: Callable[[Path], None] = field(default=_prepare_nothing)


def _table(interval: int = 100, name: str = "{t}", **properties: str) -> list[str]:
    """Return statements that make versions 0 to 3: 20 rows, after an overwrite."""
    given = {"delta.checkpointInterval": str(interval), **properties}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    columns = "id BIGINT, p STRING"
    parted = "IF(id % 2 = 0, 'a', 'b')"
    return [
        f"CREATE TABLE {name} ({columns}) USING delta PARTITIONED BY (p) TBLPROPERTIES ({listed})",
        f"INSERT INTO {name} SELECT 500 + id, {parted} FROM range(4)",
        f"INSERT OVERWRITE {name} SELECT id, {parted} FROM range(12)",
        f"INSERT INTO {name} SELECT id, {parted} FROM range(12, 20)",
    ]


def _waste(folder: Path) -> None:
    rows = pa.table({"id": pa.array([1], pa.int64())})
    for number in range(6):
        pq.write_table(rows, folder / f"p=a/waste-{number}.parquet")


def _age_log(folder: Path) -> None:
    long_ago = time.time() - 100 * 86400
    for file in (folder / "_delta_log").iterdir():
        os.utime(file, (long_ago, long_ago))


def _plain_files(folder: Path) -> None:
    for part in PARTS:
        (folder / f"p={part}").mkdir(parents=True)
        for start, end in ((0, 12), (12, 20)):
            ids = [id_ for id_, p in rows_between(start, end) if p == part]
            rows = pa.table({"id": pa.array(ids, pa.int64())})
            pq.write_table(rows, folder / f"p={part}/{start}.parquet")


def write_stream_files(folder: Path) -> None:
    """Write the rows 20 to 25 into a file of JSON, for the case that is a stream."""
    folder.mkdir()
    rows = [json.dumps({"id": number, "p": p}) for number, p in rows_between(20, 26)]
    (folder / "0.json").write_text("\n".join(rows))


_INSERT = "INSERT INTO {t} SELECT id, IF(id % 2 = 0, 'a', 'b') FROM range(20, 26)"
_INSERTED = rows_between(0, 26)
_UPDATED = _ordered([(n, "c" if n % 3 == 0 else p) for n, p in BEFORE])
_MERGED = _ordered(
    [
        *[(n, p) for n, p in BEFORE if n < 15],
        *[(n, "c") for n in (18, 19)],
        *[(n, "b") for n in range(20, 25)],
    ]
)

CASES = {
    "INSERT": SparkCase(_INSERT, _INSERTED, make=_table()),
    "INSERT of values": SparkCase(
        "INSERT INTO {t} VALUES (20, 'a'), (21, 'b')", rows_between(0, 22), make=_table()
    ),
    "INSERT with checkpoint": SparkCase(_INSERT, _INSERTED, make=_table(4)),
    "INSERT with V2 checkpoint": SparkCase(
        _INSERT, _INSERTED, make=_table(4, **{"delta.checkpointPolicy": "v2"})
    ),
    "INSERT with log cleanup": SparkCase(
        _INSERT,
        _INSERTED,
        make=[
            *_table(3, **_SHORT),
            *["ALTER TABLE {t} SET TBLPROPERTIES ('a' = 'b')"] * 2,
        ],
        prepare=_age_log,
    ),
    "INSERT OVERWRITE": SparkCase(
        "INSERT OVERWRITE {t} SELECT id, 'a' FROM range(3)",
        tuple((number, "a") for number in range(3)),
        make=_table(),
    ),
    "UPDATE": SparkCase("UPDATE {t} SET p = 'c' WHERE id % 3 = 0", _UPDATED, make=_table()),
    "UPDATE with vectors": SparkCase(
        "UPDATE {t} SET p = 'c' WHERE id % 3 = 0", _UPDATED, make=_table(**_VECTORS)
    ),
    "UPDATE with vectors and feed": SparkCase(
        "UPDATE {t} SET p = 'c' WHERE id % 3 = 0",
        _UPDATED,
        make=_table(**_VECTORS, **{"delta.enableChangeDataFeed": "true"}),
    ),
    "DELETE with vectors": SparkCase(
        "DELETE FROM {t} WHERE id % 3 = 0",
        tuple((n, p) for n, p in BEFORE if n % 3),
        make=_table(**_VECTORS),
    ),
    "MERGE": SparkCase(_MERGE, _MERGED, make=_table()),
    "MERGE with vectors": SparkCase(_MERGE, _MERGED, make=_table(**_VECTORS)),
    "ALTER": SparkCase("ALTER TABLE {t} ADD COLUMNS (x INT)", BEFORE, make=_table()),
    "CONVERT": SparkCase(
        "CONVERT TO DELTA {p} PARTITIONED BY (p STRING)", BEFORE, None, prepare=_plain_files
    ),
    "OPTIMIZE": SparkCase("OPTIMIZE {t}", BEFORE, make=_table()),
    "OPTIMIZE ZORDER": SparkCase("OPTIMIZE {t} ZORDER BY (id)", BEFORE, make=_table(**_VECTORS)),
    "VACUUM": SparkCase("VACUUM {t} RETAIN 0 HOURS", BEFORE, make=_table(), prepare=_waste),
    "RESTORE": SparkCase(
        "RESTORE TABLE {t} TO VERSION AS OF 2", rows_between(0, 12), make=_table()
    ),
    "CLONE": SparkCase("CREATE TABLE {t} SHALLOW CLONE {s}", BEFORE, None, make=_table(name="{s}")),
    "CTAS": SparkCase(
        "CREATE TABLE {t} USING delta PARTITIONED BY (p) AS "
        "SELECT id, IF(id % 2 = 0, 'a', 'b') AS p FROM range(20)",
        BEFORE,
        None,
    ),
    "REPLACE": SparkCase(
        "REPLACE TABLE {t} USING delta AS SELECT id, 'a' AS p FROM range(3)",
        tuple((number, "a") for number in range(3)),
        make=_table(),
    ),
    "stream": SparkCase("", rows_between(0, 26), make=_table()),
}
