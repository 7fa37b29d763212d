"""MERGE as delta-spark's own published benchmark has it, timed on a table like TPC-DS' web_returns.

A source is taken from the target: of a part of its files, a part of the rows with their keys, and
a part of them with keys that the target lacks. Run by `bench/merge_cases.py` for each side of
Delta, with `spark` ready. Its arguments are the format, how many rows there are, and how often
each case is repeated. Prints one JSON object: seconds of each repetition by case.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROWS = 1_000_000
FILES = 40
REPEATS = 2

_INSERT = "WHEN NOT MATCHED THEN INSERT *"
KINDS = {
    "insert only": _INSERT,
    "two inserts": f"WHEN NOT MATCHED AND s.wr_item_sk % 2 = 0 THEN INSERT * {_INSERT}",
    "delete only": "WHEN MATCHED THEN DELETE",
    "upsert": f"WHEN MATCHED THEN UPDATE SET * {_INSERT}",
}


@dataclass(frozen=True)
class Case:
    """A MERGE of a kind, and the parts of the target that its source is made of.

    Attributes:
        kind: which clauses it has.
        files: the part of the files.
        matched: the part of their rows whose keys the source has.
        others: the part of their rows that the source has under keys of its own.
    """

    kind: str
    files: float
    matched: float
    others: float

    @property
    def name(self) -> str:
        """What results call it."""
        rows = [
            f"{part:g} {what}"
            for part, what in ((self.matched, "matched"), (self.others, "not matched"))
            if part or self.kind == "upsert"
        ]
        return f"{self.kind}, files {self.files:g}, rows {', '.join(rows)}"


_FEW = 0.05
CASES = [
    *(Case("insert only", _FEW, 0, part) for part in (0.05, 0.5, 1.0)),
    *(Case("two inserts", _FEW, 0, part) for part in (0.05, 0.5, 1.0)),
    *(Case("delete only", _FEW, part, 0) for part in (0.05, 0.5, 1.0)),
    *(
        Case("upsert", _FEW, *parts)
        for parts in (
            (0.0, 0.1),
            (0.01, 0.1),
            (0.1, 0.0),
            (0.1, 0.01),
            (0.5, 0.001),
            (0.99, 0.001),
            (1.0, 0.001),
        )
    ),
    *(Case("upsert", files, 0.01, 0.1) for files in (0.5, 1.0)),
]

# Columns that hold a key of another table, and how many rows that has; then sums of money.
_KEYS = {
    "returned_date_sk": 2_000,
    "returned_time_sk": 86_400,
    "item_sk": 18_000,
    "refunded_customer_sk": 100_000,
    "refunded_cdemo_sk": 1_920_800,
    "refunded_hdemo_sk": 7_200,
    "refunded_addr_sk": 50_000,
    "returning_customer_sk": 100_000,
    "returning_cdemo_sk": 1_920_800,
    "returning_hdemo_sk": 7_200,
    "returning_addr_sk": 50_000,
    "web_page_sk": 60,
    "reason_sk": 35,
}
_SUMS = (
    "return_amt",
    "return_tax",
    "return_amt_inc_tax",
    "fee",
    "return_ship_cost",
    "refunded_cash",
    "reversed_charge",
    "account_credit",
    "net_loss",
)
# Has no factor in common with any likely number of rows.
_STEP = 1_618_033


def returns(ids: Any, order: str) -> Any:
    """Return rows of the table, made of their ids.

    Args:
        ids: the ids.
        order: SQL of the number of the order.
    """
    columns = [
        f"cast(1 + pmod(xxhash64(id, {place}), {many}) AS int) AS wr_{name}"
        for place, (name, many) in enumerate(_KEYS.items())
    ]
    columns.append(f"{order} AS wr_order_number")
    columns.append("cast(1 + pmod(xxhash64(id, 50), 100) AS int) AS wr_return_quantity")
    columns += [
        f"cast(pmod(xxhash64(id, {place}), 1000000) / 100 AS decimal(7, 2)) AS wr_{name}"
        for place, name in enumerate(_SUMS, 60)
    ]
    return ids.selectExpr(*columns)


def order_of(count: int) -> str:
    """Return SQL of the number of an order: in no order, each one an even number."""
    return f"2 * pmod(id * {_STEP}, {count})"


def source_of(spark: Any, case: Case, count: int) -> Any:
    """Return the rows that a case merges."""
    wanted = round(FILES * case.files)
    ids = spark.range(0, count, 1, FILES)
    taken = ids.where(f"id div {count // FILES} % {FILES // wanted} = 0")

    def part(size: float, salt: int) -> Any:
        return taken.where(f"pmod(xxhash64(id, {salt}), 1000) < {size * 1000:.0f}")

    known = returns(part(case.matched, 90), order_of(count))
    return known.unionAll(returns(part(case.others, 91), f"{order_of(count)} + 1"))


def copied(table: Path, place: Path) -> Path:
    """Copy a table; its data files, which nobody changes, are the same ones."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(
        table, place, copy_function=os.link, ignore=shutil.ignore_patterns("_delta_log")
    )
    shutil.copytree(table / "_delta_log", place / "_delta_log")
    return place


def merge(spark: Any, table: Path, source: Path, kind: str) -> float:
    """Time a MERGE into a table whose log was read before."""
    spark.sql(f"SELECT min(wr_fee) FROM delta.`{table}`").collect()
    text = (
        f"MERGE INTO delta.`{table}` t USING delta.`{source}` s"
        " ON t.wr_item_sk = s.wr_item_sk AND t.wr_order_number = s.wr_order_number"
        f" {KINDS[kind]}"
    )
    start = time.perf_counter()
    spark.sql(text)
    return time.perf_counter() - start


def case_times(spark: Any, folder: Path, case: Case, count: int, repeats: int) -> list[float]:
    """Time one case on a table that is as it was each time."""
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    source_of(spark, case, count).coalesce(2).write.format("delta").save(str(source))
    rows = {
        kept: spark.read.format("delta")
        .load(str(source))
        .where(f"wr_order_number % 2 = {kept}")
        .count()
        for kept in (0, 1)
    }
    taken = []
    for _ in range(repeats):
        table = copied(folder / "returns", folder / "target")
        taken.append(merge(spark, table, source, case.kind))
        there = spark.read.format("delta").load(str(table)).count()
        change = -rows[0] if case.kind == "delete only" else rows[1]
        assert there == count + change, (case, there, rows)
        shutil.rmtree(table)
    return taken


def main(spark: Any, count: int, repeats: int) -> None:
    """Run all cases on one side."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        target = returns(spark.range(0, count, 1, FILES), order_of(count))
        target.write.format("delta").save(str(folder / "returns"))
        for case in (CASES[0], CASES[-1]):
            case_times(spark, folder, case, count, 1)
        result = {case.name: case_times(spark, folder, case, count, repeats) for case in CASES}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main(spark, int(sys.argv[2]), int(sys.argv[3]))  # type: ignore[name-defined]  # noqa: F821  # given by the runner
