"""Our object store against a server that speaks S3: promises, names, long listings, failures.

`make test-stores` builds MinIO with Go and runs these.
"""

import socket
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyarrow import fs

from puredelta.errors import DeltaError, DeltaRuntimeError
from puredelta.storage.object_store import ObjectStore
from tests.stores.minio import BUCKET, SECRET, USER, free_port, options
from tests.stores.proxy import Proxy
from tests.unit.storage.promises import StorePromises

pytestmark = pytest.mark.minio

QUICK = {
    "fs.puredelta.retry.limit": "2",
    "fs.puredelta.retry.timeout": "3s",
    "fs.puredelta.request.timeout": "1s",
}
SPECIAL = [
    "p=a b%20é#[1]/f%2Fx+y.parquet",
    "x?y=1&z=2",
    "~t",
    "a\\b",
    "ü😀",
    "*<>|\"'`{}^",
    " spaces ",
    "a%b%zz",
    "a=b,c;d:e@f$g!",
    "(1)",
]
CALLS = {
    "list": lambda store: store.list_from("_delta_log"),
    "walk": lambda store: list(store.walk("", lambda _: True)),
    "read": lambda store: store.read("a"),
    "read all": lambda store: store.read_all(["a", "b"]),
    "range": lambda store: store.read_range("a", 0, 1),
    "put if absent": lambda store: store.put_if_absent("a", b"1"),
    "put": lambda store: store.put("a", b"1"),
    "delete": lambda store: store.delete(["a"]),
}


@pytest.fixture
def store(minio, place):
    return ObjectStore(place, options(minio.port))


class TestMinio(StorePromises):
    """The promises that every store keeps."""


@pytest.mark.parametrize("name", SPECIAL)
def test_special_characters_in_names_come_back(store, name):
    assert store.put_if_absent(f"log/{name}", name.encode())

    assert store.read(f"log/{name}") == name.encode()
    folder = f"log/{name}".rpartition("/")[0]
    assert [info.name for info in store.list_from(folder)] == [f"log/{name}"]
    assert not store.put_if_absent(f"log/{name}", b"")


def test_listing_goes_past_a_page_of_the_server(store):
    names = [f"_delta_log/{number:020}.json" for number in range(2345)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: store.put(name, b"{}"), names))

    assert [info.name for info in store.list_from("_delta_log")] == names
    late = store.list_from("_delta_log", names[1234])
    assert [info.name for info in late] == names[1234:]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "wrong", [{"fs.s3a.secret.key": "wrong-key-of-mine"}, {"fs.s3a.access.key": "nobody"}]
)
def test_wrong_credentials_are_named_with_the_remedy(minio, place, call, wrong):
    store = ObjectStore(place, options(minio.port) | wrong)

    with pytest.raises(DeltaRuntimeError, match=r"Check 'fs\.s3a\.access\.key'") as raised:
        CALLS[call](store)

    assert raised.value.condition == "DELTA_STORAGE_ACCESS_DENIED.S3"
    assert place in str(raised.value)
    shown = "".join(traceback.format_exception(raised.value))
    assert "wrong-key-of-mine" not in shown
    assert SECRET not in shown


@pytest.mark.parametrize("call", CALLS)
def test_missing_bucket_is_named(minio, call):
    store = ObjectStore("s3a://no-such-lake/t", options(minio.port))

    with pytest.raises(DeltaRuntimeError, match="no bucket or container s3a://no-such-lake,") as e:
        CALLS[call](store)

    assert e.value.condition == "DELTA_STORAGE_BUCKET_NOT_FOUND"


@pytest.mark.parametrize("call", CALLS)
def test_server_that_is_not_there_is_given_up_within_the_budget(place, call):
    store = ObjectStore(place, options(free_port()) | QUICK)

    seconds, error = _failure(CALLS[call], store)

    assert error.condition == "DELTA_STORAGE_UNREACHABLE"
    assert place in str(error)
    assert "fs.puredelta.retry.limit" in str(error)
    assert seconds < 10


@pytest.mark.parametrize("call", CALLS)
def test_server_that_never_answers_is_given_up_within_the_budget(place, call):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        store = ObjectStore(place, options(listening.getsockname()[1]) | QUICK)

        seconds, error = _failure(CALLS[call], store)

    assert error.condition == "DELTA_STORAGE_UNREACHABLE"
    assert seconds < 15


def test_reading_outlives_cuts_that_the_budget_allows(minio, place):
    ObjectStore(place, options(minio.port)).put("a", b"1")
    cuts = iter(["request", "reply", "request"])

    with Proxy(minio.port, lambda _: next(cuts, None)) as proxy:
        store = ObjectStore(place, options(proxy.port))

        assert store.read("a") == b"1"
        assert proxy.cuts == 3


def test_budget_of_no_retries_fails_at_the_first_cut(minio, place):
    with Proxy(minio.port, lambda _: "request") as proxy:
        store = ObjectStore(place, options(proxy.port) | {"fs.puredelta.retry.limit": "0"})

        _, error = _failure(CALLS["put"], store)

    assert error.condition == "DELTA_STORAGE_UNREACHABLE"
    assert proxy.cuts == 1


def test_bucket_may_have_options_of_its_own(minio, place):
    given = options(minio.port) | {
        "fs.s3a.secret.key": "that of another bucket",
        f"fs.s3a.bucket.{BUCKET}.secret.key": SECRET,
    }

    assert ObjectStore(place, given).list_from("") == []


def test_walk_passes_over_the_marks_of_folders_and_not_over_empty_objects(minio, store):
    # The marks are empty objects whose names end with a slash; Hadoop makes such, too.
    place = store.url.removeprefix("s3a://")
    marking = fs.S3FileSystem(
        access_key=USER, secret_key=SECRET, endpoint_override=minio.endpoint, region="us-east-1"
    )
    for folder in ("p=1", "p=1/empty", "nothing"):
        marking.create_dir(f"{place}/{folder}")
    for name in ("p=1/a", "p=1-b", "p=1.c", "p=2"):
        store.put(name, b"")

    found = [info.name for info in store.walk("", lambda _: True)]

    assert found == ["p=1-b", "p=1.c", "p=1/a", "p=2"]


def test_walk_goes_over_many_pages(store):
    names = [f"p={number % 7}/{number:05}" for number in range(2_500)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: store.put(name, b"x"), names))

    assert [info.name for info in store.walk("", lambda _: True)] == sorted(names)
    assert len(list(store.walk("", lambda folder: folder == "p=3"))) == 357


def _failure(call, store) -> tuple[float, DeltaError]:
    start = time.monotonic()
    with pytest.raises(DeltaError) as raised:
        call(store)
    return time.monotonic() - start, raised.value
