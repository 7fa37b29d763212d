"""A short text that distinguishes one schema and partitioning from another."""

import hashlib

from puredelta.log.actions import Metadata


def schema_fingerprint(metadata: Metadata) -> str:
    """Return a text that changes when the schema or the partitioning does."""
    text = f"{metadata.schema_string}\0{metadata.partition_columns}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
