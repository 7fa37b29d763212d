"""Random writes into a table of `definitions`, as plain data, and how a session runs them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tests.spark.definitions import GENERATED, MOMENTS, NUMBERS, TEXTS, Definition, Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pyspark.sql import DataFrame, SparkSession

FRAMES = ("append", "writeTo", "overwrite", "replaceWhere", "dynamic")
STATEMENTS = ("values", "position", "by name", "job", "insert overwrite", "insert replace")
# By position, all columns are given.
WHOLE = ("position", "insert replace")
WRONG = {"DATE": dt.date(1999, 9, 9), "STRING": "zz"}
MOMENT = dt.datetime(1999, 9, 9, tzinfo=dt.timezone.utc)


@dataclass(frozen=True)
class Write:
    """One write.

    Attributes:
        form: one of `FRAMES` and `STATEMENTS`.
        columns: which are given, in their order.
        rows: their values.
        condition: of the rows that are replaced: a column and its least value.
    """

    form: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    condition: tuple[str, int] | None = None

    def covers(self, row: Row) -> bool:
        """Whether a row is among those that are replaced; unknown is not."""
        if self.condition is None:
            return False
        column, least = self.condition
        return row[column] is not None and row[column] >= least


def a_write(some: Random, table: Definition, tags: Iterator[int]) -> Write:
    """A random write, one in three with a row that the table does not take."""
    form = some.choice(_forms(some, table))
    left_out = {name for name in table.types if some.random() < 0.35} - {"tag"}
    if table.identity and (not table.identity.takes_values or some.random() < 0.5):
        left_out |= {"key"}
    columns = [name for name in table.types if name not in left_out]
    if form in WHOLE:
        columns = list(table.types)
    else:
        some.shuffle(columns)
    count = some.choice([1, 2, 3, 6])
    rows = [_row(some, table, columns, next(tags)) for _ in range(count)]
    write = Write(form, tuple(columns), tuple(rows), _condition(some, table, form))
    return write if some.random() < 0.33 else _mended(write, table)


def _forms(some: Random, table: Definition) -> list[str]:
    """The forms that suit a table; seldom one that gives a key that is always generated."""
    counts = table.identity is not None and not table.identity.takes_values
    unfit = {"dynamic"} if not table.partitions else set()
    unfit |= set(WHOLE) if counts and some.random() < 0.9 else set()
    return [one for one in FRAMES + STATEMENTS if one not in unfit]


def _condition(some: Random, table: Definition, form: str) -> tuple[str, int] | None:
    if form not in ("replaceWhere", "insert replace"):
        return None
    numbers = {"id": 0, "year": 2020, "twice": 2, "tag": 5}
    return some.choice([one for one in numbers.items() if one[0] in table.types])


def _row(some: Random, table: Definition, columns: list[str], tag: int) -> Row:
    given: Row = {
        "tag": tag,
        "id": some.choice(NUMBERS),
        "at": some.choice(MOMENTS),
        "s": some.choice(TEXTS),
        "st": some.choice([None, {"x": None}, {"x": 1}, {"x": 8}]),
        "note": some.choice(TEXTS),
        "n": some.choice([1, 42, 49]),
        "key": some.randrange(-50, 500),
    }
    if some.random() < 0.1:
        given["n"] = some.choice([None, 50])
    row = {name: given[name] for name in columns if name not in GENERATED}
    right = table.complete(row)
    for name in columns:
        if name in GENERATED:
            wrong = some.random() < 0.1
            row[name] = _wrong(some, GENERATED[name].type) if wrong else right[name]
    return {name: row[name] for name in columns}


def _wrong(some: Random, kind: str) -> Any:
    if some.random() < 0.3:
        return None
    return WRONG.get(kind, MOMENT if kind == "TIMESTAMP" else 12_345)


def _mended(write: Write, table: Definition) -> Write:
    """The write without the rows that the table does not take."""
    complete = [(row, table.complete(row)) for row in write.rows]
    kept = [
        row
        for row, whole in complete
        if table.takes(whole) and (write.condition is None or write.covers(whole))
    ]
    return replace(write, rows=tuple(kept))


# ---- how a session runs it


def run(spark: SparkSession, table: str, types: dict[str, str], write: Write) -> None:
    """Write the rows."""
    if write.form in FRAMES:
        _write_frame(_frame(spark, types, write), table, write)
    else:
        spark.sql(statement(table, types, write))


def _frame(spark: SparkSession, types: dict[str, str], write: Write) -> DataFrame:
    schema = ", ".join(f"{name} {types[name]}" for name in write.columns)
    rows = [tuple(row[name] for name in write.columns) for row in write.rows]
    return spark.createDataFrame(rows, schema).coalesce(2)


def _write_frame(frame: DataFrame, table: str, write: Write) -> None:
    if write.form == "writeTo":
        frame.writeTo(table).append()
        return
    writer = frame.write.format("delta").mode("append" if write.form == "append" else "overwrite")
    if write.form == "replaceWhere":
        writer = writer.option("replaceWhere", condition_text(write))
    if write.form == "dynamic":
        writer = writer.option("partitionOverwriteMode", "dynamic")
    writer.saveAsTable(table)


def condition_text(write: Write) -> str:
    """The condition of the rows that are replaced."""
    assert write.condition is not None
    column, least = write.condition
    return f"{column} >= {least}"


def statement(table: str, types: dict[str, str], write: Write) -> str:
    """The write in SQL."""
    names = ", ".join(write.columns)
    rows = ", ".join(
        "(" + ", ".join(_literal(row[name], types[name]) for name in write.columns) + ")"
        for row in write.rows
    )
    # A table of values needs a row.
    one = ", ".join(f"CAST(NULL AS {types[name]})" for name in write.columns)
    source = f"VALUES {rows} AS v({names})" if rows else f"VALUES ({one}) AS v({names}) WHERE false"
    if write.form == "values":
        return f"INSERT INTO {table} ({names}) SELECT * FROM {source}"
    if write.form == "position":
        return f"INSERT INTO {table} SELECT * FROM {source}"
    if write.form == "by name":
        return f"INSERT INTO {table} BY NAME SELECT {names} FROM {source}"
    if write.form == "job":
        return f"INSERT INTO {table} ({names}) SELECT /*+ REPARTITION(2) */ * FROM {source}"
    if write.form == "insert overwrite":
        return f"INSERT OVERWRITE {table} ({names}) SELECT * FROM {source}"
    replaced = condition_text(write)
    return f"INSERT INTO {table} REPLACE WHERE {replaced} SELECT {names} FROM {source}"


def _literal(value: Any, kind: str) -> str:
    if value is None:
        return f"CAST(NULL AS {kind})"
    if isinstance(value, dict):
        return f"named_struct('x', {_literal(value['x'], 'INT')})"
    if isinstance(value, dt.datetime):
        moment = value.astimezone(dt.timezone.utc).replace(tzinfo=None)
        return f"TIMESTAMP'{moment.isoformat(sep=' ')} UTC'"
    if isinstance(value, dt.date):
        return f"DATE'{value.isoformat()}'"
    return f"'{value}'" if kind == "STRING" else f"CAST({value} AS {kind})"
