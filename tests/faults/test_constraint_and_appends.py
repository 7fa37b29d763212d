"""A constraint is added while another process appends: what breaks it is never let in beside it."""

import multiprocessing
import time

import deltalake
import pyarrow as pa
import pytest

from puredelta.errors import DeltaError
from puredelta.log.table_log import open_log
from puredelta.table.expressions.constraints import constraints_of
from tests.parts import rest
from tests.patience import patient

ROWS_BEFORE = 6


def append(path, bad_after, started, stopped):
    """Append rows with deltalake, from some row on those that break the constraint."""
    for number in range(10_000):
        rows = pa.table({"id": [number if number < bad_after else -number]})
        try:
            deltalake.write_deltalake(path, rows, mode="append")
        except Exception:  # noqa: BLE001  # refused, by the constraint or by a conflict
            if stopped.is_set():
                return
        if number == ROWS_BEFORE:
            started.set()
        if stopped.is_set():
            return


@pytest.mark.parametrize("bad_after", [rest(ROWS_BEFORE), 12, rest(30), 10_000])
def test_a_constraint_holds_for_each_row_of_its_version_and_of_later_ones(
    spark, tmp_path, bad_after
):
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT) USING delta")
    context = multiprocessing.get_context("spawn")
    started, stopped = context.Event(), context.Event()
    other = context.Process(target=append, args=(path, bad_after, started, stopped))
    other.start()
    try:
        assert started.wait(patient(60))
        added = add_constraint(spark, path)
        time.sleep(0.5)
    finally:
        stopped.set()
        other.join(patient(60))

    assert other.exitcode == 0
    log = open_log(path)
    rows = spark.read.format("delta").load(path)
    if added:
        assert constraints_of(log.latest().configuration)
        assert rows.where("id < 0").count() == 0
    else:
        assert bad_after < 10_000
        assert not constraints_of(log.latest().configuration)
        assert rows.where("id < 0").count() > 0


def add_constraint(spark, path):
    """Add it, again after each conflict; False when a row breaks it already."""
    for _ in range(200):
        failure = failure_of(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT c CHECK (id >= 0)", spark)
        if failure in (None, "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"):
            return failure is None
    pytest.fail("each attempt met a conflict")


def failure_of(statement, spark):
    """Run a statement; return the condition that it fails with, if it does."""
    try:
        spark.sql(statement)
    except DeltaError as error:
        return error.condition
    return None
