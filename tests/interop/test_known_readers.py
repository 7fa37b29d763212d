"""What `table/protocol/known_readers` says of other engines is what they do, feature by feature."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import deltalake
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.table.protocol.features import FEATURES
from puredelta.table.protocol.known_readers import KNOWN_READERS
from tests.interop.peers import FEATURE_PEERS

if TYPE_CHECKING:
    from pathlib import Path

READERS = {one.name: one for one in KNOWN_READERS if one.name in FEATURE_PEERS}
# A catalog has to be there for tables that one manages.
ALONE = [one for one in FEATURES.values() if one.reader and one.name != "catalogManaged"]
SCHEMA = {
    "type": "struct",
    "fields": [{"name": "a", "type": "integer", "nullable": True, "metadata": {}}],
}


def table_that_lists(folder: Path, features: list[str]) -> None:
    """Make a table of one row whose protocol lists features that it does not use."""
    (folder / "_delta_log").mkdir()
    pq.write_table(pa.table({"a": pa.array([1], pa.int32())}), folder / "f.parquet")
    lists = {"readerFeatures": features, "writerFeatures": features}
    lines = [
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **lists}},
        {
            "metaData": {
                "id": "some",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps(SCHEMA),
                "partitionColumns": [],
                "configuration": {},
                "createdTime": 0,
            }
        },
        {
            "add": {
                "path": "f.parquet",
                "partitionValues": {},
                "size": (folder / "f.parquet").stat().st_size,
                "modificationTime": 0,
                "dataChange": True,
                "stats": '{"numRecords":1}',
            }
        },
    ]
    text = "\n".join(map(json.dumps, lines))
    (folder / "_delta_log" / f"{0:020}.json").write_text(text)


def test_installed_releases_are_those_that_are_known() -> None:
    versions = {"deltalake": deltalake.__version__, "duckdb": duckdb.__version__}

    assert {name: one.version for name, one in READERS.items()} == {
        name: ".".join(version.split(".")[:2]) for name, version in versions.items()
    }


@pytest.mark.parametrize("feature", [one.name for one in ALONE])
@pytest.mark.parametrize("peer", FEATURE_PEERS)
def test_peer_reads_a_feature_if_we_say_so(tmp_path: Path, peer: str, feature: str) -> None:
    table_that_lists(tmp_path, [feature, *FEATURES[feature].requires])

    if feature in READERS[peer].features:
        assert FEATURE_PEERS[peer](tmp_path).num_rows == 1
    else:
        with pytest.raises(Exception, match=r"(?i)feature"):
            FEATURE_PEERS[peer](tmp_path)
