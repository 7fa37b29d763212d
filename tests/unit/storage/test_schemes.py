"""Which store serves which scheme."""

import obstore
import pytest
from obstore.exceptions import PermissionDeniedError

from puredelta.errors import DeltaIllegalArgumentError, DeltaRuntimeError
from puredelta.storage import schemes
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.storage.object_store import ObjectStore
from puredelta.storage.schemes import open_store, register_scheme

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


def test_failure_of_the_object_store_is_ours(monkeypatch):
    denied = PermissionDeniedError("denied\n\nDebug source: ...")

    def refuse(*_):
        raise denied

    monkeypatch.setattr(obstore, "get", refuse)

    with pytest.raises(DeltaRuntimeError, match="failed to read memory://x/t/a: denied") as raised:
        open_store("memory://x/t").read("a")

    assert raised.value.condition == "DELTA_STORAGE_FAILURE"
    assert "\n" not in str(raised.value)


def test_registered_factory_opens_its_scheme(monkeypatch):
    monkeypatch.setattr(schemes, "_factories", dict(schemes._factories))
    register_scheme("HDFS", lambda url, _: MemoryStore(url))

    assert open_store("hdfs://host/t").url == "hdfs://host/t"
