"""Which store serves which scheme."""

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.storage import schemes
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.storage.object_store import ObjectStore
from puredelta.storage.schemes import (
    open_store,
    options_for,
    register_scheme,
    register_store_provider,
)

S3_OPTIONS = {
    "AWS_ACCESS_KEY_ID": "id",
    "aws_secret_access_key": "secret",
    "aws_region": "us-east-1",
    "allow_http": "true",
}


def test_path_is_local(tmp_path):
    assert isinstance(open_store(str(tmp_path)), LocalStore)


@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
def test_bucket_keeps_the_scheme_it_was_given(scheme):
    store = open_store(f"{scheme}://bucket/t", S3_OPTIONS)

    assert isinstance(store, ObjectStore)
    assert store.url == f"{scheme}://bucket/t"


def test_unknown_scheme_is_refused_with_the_known_ones():
    with pytest.raises(DeltaIllegalArgumentError, match=r"'ftp'.*abfs, .*s3") as raised:
        open_store("ftp://host/t")

    assert raised.value.condition == "DELTA_STORAGE_SCHEME_NOT_SUPPORTED"


def test_unknown_option_is_refused():
    with pytest.raises(DeltaIllegalArgumentError, match="colour"):
        open_store("s3://bucket/t", {"colour": "blue"})


def test_registered_factory_opens_its_scheme(monkeypatch):
    monkeypatch.setattr(schemes, "_factories", dict(schemes._factories))
    register_scheme("HDFS", lambda url, _: MemoryStore(url))

    assert open_store("hdfs://host/t").url == "hdfs://host/t"


@pytest.fixture
def no_surroundings(monkeypatch):
    monkeypatch.setattr(schemes, "_provider", schemes._StoreProvider())


@pytest.mark.usefixtures("no_surroundings")
def test_what_is_given_for_a_table_covers_what_the_surroundings_give():
    register_store_provider(lambda _: {"a": "session", "b": "session"}, lambda url, _: url)

    assert options_for("s3://bucket/t", {"b": "table"}) == {"a": "session", "b": "table"}
    assert options_for("/tmp/t", {"b": "table"}) == {}


@pytest.mark.usefixtures("no_surroundings")
def test_scheme_that_nobody_serves_is_left_to_the_surroundings():
    register_store_provider(lambda _: {}, lambda url, _: MemoryStore(url))

    assert open_store("hdfs://host/t").url == "hdfs://host/t"
    assert isinstance(open_store("s3://bucket/t", S3_OPTIONS), ObjectStore)


@pytest.mark.usefixtures("no_surroundings")
def test_options_without_surroundings_are_those_of_the_table():
    assert options_for("s3://bucket/t", {"a": "1"}) == {"a": "1"}
