"""What tests of statements share: a place, settings, streams, and what others do meanwhile."""

import pytest

from puredelta.txn.transaction import Transaction
from tests.spark.streams import Streams


@pytest.fixture
def path(tmp_path):
    """The folder of a table, which is not there yet."""
    return str(tmp_path / "t")


@pytest.fixture
def streams(spark, tmp_path, path):
    """Runs queries over the table at `path`."""
    return Streams(spark, tmp_path, path)


@pytest.fixture
def meanwhile(monkeypatch):
    """Lets something happen once, just before the next commit."""
    pending = []

    def held_up(self, *args, **kwargs):
        if pending:
            pending.pop()()
        return commit(self, *args, **kwargs)

    commit = Transaction.commit
    monkeypatch.setattr(Transaction, "commit", held_up)
    return pending.append


@pytest.fixture
def setting(spark):
    """Sets session settings until the test ends."""
    before = {}

    def put(key, value):
        before.setdefault(key, spark.conf.get(key, None))
        spark.conf.set(key, value)

    yield put
    for key, value in before.items():
        if value is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, value)
