"""A protocol as rows: a feature each, and what we do with it."""

import msgspec

from puredelta.log.actions import Protocol
from puredelta.table.protocol.features import FEATURES
from puredelta.table.protocol.protocol_report import MEANINGS, PROTOCOL, protocol_rows
from tests.unit.log.logs import METADATA


def rows(protocol: Protocol, **properties: str):
    table = msgspec.structs.replace(
        METADATA, configuration={k.replace("_", "."): v for k, v in properties.items()}
    )
    return {row["feature"]: row for row in protocol_rows(protocol, table).to_pylist()}


def test_every_feature_has_a_meaning():
    assert set(MEANINGS) == set(FEATURES)


def test_versions_imply_features():
    found = rows(Protocol(min_reader_version=1, min_writer_version=2))

    assert list(found) == ["appendOnly", "invariants"]
    assert found["appendOnly"] == {
        "min_reader_version": 1,
        "min_writer_version": 2,
        "feature": "appendOnly",
        "kind": "writer",
        "named": False,
        "readable": True,
        "writable": True,
        "meaning": MEANINGS["appendOnly"],
    }


def test_named_features_and_unknown_ones():
    protocol = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=["deletionVectors", "future"],
        writer_features=["deletionVectors", "future", "later"],
    )

    found = rows(protocol)

    vectors, future, later = (found[name] for name in ("deletionVectors", "future", "later"))
    assert (vectors["kind"], vectors["named"]) == ("reader-writer", True)
    assert (vectors["readable"], vectors["writable"]) == (True, True)
    assert (future["kind"], future["meaning"]) == ("reader-writer", None)
    assert (future["readable"], future["writable"]) == (False, False)
    assert (later["kind"], later["readable"], later["writable"]) == ("writer", True, False)


def test_feature_that_is_there_and_not_used_can_be_written():
    protocol = Protocol(
        min_reader_version=1, min_writer_version=7, writer_features=["icebergCompatV1"]
    )

    assert rows(protocol)["icebergCompatV1"]["writable"] is True
    used = rows(protocol, delta_enableIcebergCompatV1="true")
    assert used["icebergCompatV1"]["writable"] is False
    assert used["icebergCompatV1"]["readable"] is True


def test_protocol_without_features_is_a_row_of_versions():
    found = protocol_rows(Protocol(min_reader_version=1, min_writer_version=1), METADATA)

    assert found.schema == PROTOCOL
    (row,) = found.to_pylist()
    assert (row["min_reader_version"], row["feature"]) == (1, None)
