"""Tables whose newest version only a catalog knows are refused by name."""

import pytest

from puredelta.errors import DeltaTableFeatureError
from puredelta.log import open_table
from puredelta.log.actions import Protocol
from puredelta.log.table_log import TableLog
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, add, commit, create, metadata

COORDINATOR = {"delta_coordinatedCommits_commitCoordinator-preview": "a-catalog"}


def protocol(feature: str, *, reader: bool) -> Protocol:
    return Protocol(
        min_reader_version=3 if reader else 1,
        min_writer_version=7,
        reader_features=[feature] if reader else None,
        writer_features=[feature],
    )


@pytest.mark.parametrize(
    ("feature", "reader", "properties"),
    [
        ("catalogManaged", True, {}),
        ("catalogOwned-preview", True, {}),
        ("coordinatedCommits-preview", False, COORDINATOR),
    ],
)
def test_table_of_a_catalog_is_refused_by_name(feature, reader, properties):
    store = MemoryStore()
    commit(store, 0, protocol(feature, reader=reader), metadata(**properties), add("a"))

    with pytest.raises(DeltaTableFeatureError, match=feature) as raised:
        TableLog(store).latest()
    assert raised.value.condition == "PUREDELTA_COORDINATED_TABLE"
    with pytest.raises(DeltaTableFeatureError):
        TableLog(store).at_version(0)


def test_table_that_comes_under_a_catalog_is_refused_from_then_on():
    store = MemoryStore()
    create(store, add("a"))
    log = TableLog(store)
    assert log.latest().version == 0

    commit(store, 1, protocol("catalogManaged", reader=True))

    for _ in range(2):
        with pytest.raises(DeltaTableFeatureError, match="catalogManaged"):
            log.latest()


def test_feature_without_a_coordinator_does_not_matter():
    store = MemoryStore()
    commit(store, 0, protocol("coordinatedCommits-preview", reader=False), METADATA)

    assert TableLog(store).latest().version == 0


def test_folder_of_staged_commits_alone_does_not_matter(tmp_path):
    create(LocalStore(str(tmp_path)), add("a"))
    (tmp_path / "_delta_log/_staged_commits").mkdir()

    assert open_table(str(tmp_path)).version == 0


def test_reading_without_spark_is_refused_too(tmp_path):
    store = LocalStore(str(tmp_path))
    commit(store, 0, protocol("catalogManaged", reader=True), METADATA)

    with pytest.raises(DeltaTableFeatureError, match="catalogManaged"):
        open_table(str(tmp_path))
