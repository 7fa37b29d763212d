"""What unit tests share: no Spark session around them, whatever ran before in the process."""

import pytest

from puredelta.storage import schemes


@pytest.fixture(autouse=True)
def no_store_provider(monkeypatch):
    """Forget the session that tests on Spark left around the stores."""
    monkeypatch.setattr(schemes, "_provider", schemes._StoreProvider())
