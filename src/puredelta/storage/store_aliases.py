"""Names that URLs have for one and the same store."""

from __future__ import annotations

from puredelta.storage.location import table_url

_SAME_STORE = {
    **dict.fromkeys(("s3a", "s3n"), "s3"),
    "gcs": "gs",
    **dict.fromkeys(("abfss", "wasb", "wasbs"), "abfs"),
}
_BLOB_SCHEMES = frozenset({"wasb", "wasbs"})


def canonical_store_url(url: str) -> str:
    """Return a URL with the name that stands for all names of its store.

    >>> canonical_store_url("s3a://bucket/t")
    's3://bucket/t'
    >>> canonical_store_url("wasbs://box@account.blob.core.windows.net/t")
    'abfs://box@account.dfs.core.windows.net/t'
    """
    scheme, _, rest = table_url(url).partition("://")
    authority, slash, path = rest.partition("/")
    if scheme in _BLOB_SCHEMES:
        authority = authority.replace(".blob.", ".dfs.")
    return f"{_SAME_STORE.get(scheme, scheme)}://{authority}{slash}{path}"
