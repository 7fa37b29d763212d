"""The environment with the frameworks; tests are skipped where it was not made."""

from pathlib import Path

import pytest

from tests.ways.frameworks.environment import find_programs


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder `bin` of the environment."""
    found, why = find_programs()
    if found is None:
        pytest.skip(why)
    return found
