"""Columns that commands make say nothing of where that is; those of users do."""

from threading import Barrier, Thread

import pytest
from pyspark.errors import utils
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.bridge.call_sites import without_call_sites


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """PySpark asks the session once, and keeps the answer even of the time when there was none."""
    monkeypatch.setattr(utils, "_enable_debugging_cache", True)


def place_of_a_column():
    return (F.col("a") + 1)._jc.node().origin().pysparkErrorContext().isDefined()


def test_columns_of_commands_have_no_place(spark):
    assert place_of_a_column()

    with without_call_sites():
        assert not place_of_a_column()

    assert place_of_a_column()


def test_runs_at_once_end_in_what_was_before(spark):
    inside, left = Barrier(2), Barrier(2)

    @without_call_sites()
    def first():
        inside.wait()

    @without_call_sites()
    def second():
        inside.wait()
        left.wait()
        assert not utils.is_debugging_enabled()

    threads = [Thread(target=first), Thread(target=second)]
    for one in threads:
        one.start()
    threads[0].join()
    left.wait()
    threads[1].join()

    assert utils.is_debugging_enabled()


def test_other_threads_keep_their_places(spark):
    found = []

    with without_call_sites():
        other = Thread(target=lambda: found.append(utils.is_debugging_enabled()))
        other.start()
        other.join()

        assert not utils.is_debugging_enabled()

    assert found == [True]
