"""Names that URLs have for one and the same store."""

import pytest

from puredelta.storage.object_store import ObjectStore
from puredelta.storage.store_aliases import canonical_store_url

BLOB, DFS = "box@account.blob.core.windows.net", "box@account.dfs.core.windows.net"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("s3n://bucket/a b/", "s3://bucket/a b"),
        ("gcs://bucket/t", "gs://bucket/t"),
        (f"abfss://{DFS}/t", f"abfs://{DFS}/t"),
        (f"wasb://{BLOB}/t.blob.x", f"abfs://{DFS}/t.blob.x"),
        (f"wasbs://{BLOB}/t", f"abfs://{DFS}/t"),
        ("az://box/t", "az://box/t"),
        ("/here/t", "file:///here/t"),
    ],
)
def test_store_has_one_name(url, name):
    assert canonical_store_url(url) == name


@pytest.mark.parametrize("scheme", ["wasb", "wasbs"])
def test_store_of_azure_is_opened_by_any_of_its_names(scheme):
    store = ObjectStore(f"{scheme}://{BLOB}/t", {"azure_storage_account_key": "aGVsbG8="})

    assert store.url == f"{scheme}://{BLOB}/t"
