"""A path names its version or time: `path@v1`, `path@yyyyMMddHHmmssSSS`."""

from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.frontend.catalog import time_travel
from puredelta.frontend.catalog.time_travel import NEWEST, TimeTravel, from_path
from puredelta.settings import Settings


@pytest.fixture
def split(monkeypatch):
    """Split a path in a session of Oslo's time zone."""

    def split_in_a_session(path, **settings):
        context = SimpleNamespace(settings=Settings(**settings))
        monkeypatch.setattr(time_travel, "context_of", lambda _: context)
        monkeypatch.setattr(time_travel, "time_zone", lambda _: "Europe/Oslo")
        return from_path(path, session=None)

    return split_in_a_session


def micros(moment):
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)


@pytest.mark.parametrize("text", ["v12", "V12"])
def test_path_names_a_version(split, text):
    assert split(f"/data/t@{text}") == ("/data/t", TimeTravel(version=12))


def test_path_names_a_time_to_the_millisecond_in_the_zone_of_the_session(split):
    path, asked = split("/data/t@20240102030405678")

    moment = datetime(2024, 1, 2, 2, 4, 5, 678_000, tzinfo=timezone.utc)
    assert (path, asked) == ("/data/t", TimeTravel(micros=micros(moment)))


def test_time_that_is_none_is_refused(split):
    with pytest.raises(DeltaAnalysisError) as raised:
        split("/data/t@20241302030405678")

    assert raised.value.condition == "DELTA_INVALID_TIMESTAMP_FORMAT"


@pytest.mark.parametrize("path", ["/data/t", "/data/t@2024", "/data/t@x12", "/data/t@v1/p=1"])
def test_path_without_a_version_is_the_path(split, path):
    assert split(path) == (path, NEWEST)


def test_session_may_take_names_as_they_are(split):
    assert split("/data/t@v12", versions_in_names=False) == ("/data/t@v12", NEWEST)
