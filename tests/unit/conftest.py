"""What unit tests share: no Spark session around them, whatever ran before in the process."""

import pytest

from puredelta.storage import schemes


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch):
    """Forget the session that tests on Spark left around the stores."""
    monkeypatch.setattr(schemes, "_around", schemes._Surroundings())
