"""SHALLOW CLONE without Spark: what the new table gets from its source, and what it does not."""

import tracemalloc

import msgspec
import pytest

from puredelta.errors import (
    ConcurrentWriteError,
    DeltaIllegalStateError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import DeletionVector, DomainMetadata
from puredelta.log.table_log import TableLog
from puredelta.maintenance.clone.clone import Clone
from puredelta.maintenance.clone.foreign_files import ForeignFiles, hadoop_url
from puredelta.maintenance.clone.source import CloneSource, delta_source
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, STRING, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.expressions.identity_columns import identity_columns
from puredelta.table.protocol.protocol import features_of, normal_form
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import add as partitioned_file
from tests.unit.txn.tables import metadata

COUNTED = '{"numRecords":3}'


def add(path, p="1", **changes):
    return msgspec.structs.replace(partitioned_file("x", p), path=path, **changes)


def create(log, *files, definition=None, protocol=None):
    """Make version 0."""
    commit(log, *files, metadata=definition or metadata(), protocol=protocol or normal_form(()))


def commit(log, *files, **definition):
    before = log.latest() if log.exists() else None
    Transaction(log, before).commit(list(files), Operation("WRITE"), **definition)


def numbered(step, mark):
    """Metadata whose `a` is an identity column that has given values up to a mark."""
    given = {"delta.identity.start": 1, "delta.identity.step": step}
    if mark is not None:
        given["delta.identity.highWaterMark"] = mark
    given["delta.identity.allowExplicitInsert"] = False
    schema = StructType((StructField("a", LONG, metadata=given), StructField("p", STRING)))
    return msgspec.structs.replace(metadata(), schema_string=schema_to_json(schema))


@pytest.fixture
def log():
    return TableLog(MemoryStore("memory://bucket/t"))


@pytest.fixture
def target():
    return TableLog(MemoryStore("memory://bucket/c"))


def clone_of(log, target, **changes):
    before = target.latest() if target.exists() else None
    return Clone(Transaction(target, before), delta_source("t", log.latest()), **changes)


def source_of(files, count=None, **changes):
    given = {"metadata": metadata(), "protocol": normal_form(()), **changes}
    number = len(files) if count is None else count
    return CloneSource(label="t", url="file:///t", files=files, num_files=number, size=0, **given)


def test_paths_become_whole_and_partitions_stay(log, target):
    create(log, add("p=1/a%20b", "1"), add("p=2/c", "2"))

    metrics = clone_of(log, target).run()

    found = target.latest().files.to_pylist()
    assert [file["path"] for file in found] == [
        "memory://bucket/t/p=1/a b",
        "memory://bucket/t/p=2/c",
    ]
    assert [dict(file["partition_values"]) for file in found] == [{"p": "1"}, {"p": "2"}]
    assert metrics.source_num_of_files == 2


def test_files_below_the_target_get_relative_paths():
    files = [add("file:/c/x"), add("y"), add("../c/z"), add("file:///o/w")]

    paths = [file.path for file in ForeignFiles(files, "file:///t", "file:///c", count=len(files))]

    assert paths == ["x", "file:/t/y", "z", "file:/o/w"]


def test_folder_of_the_source_is_encoded_once():
    found = next(iter(ForeignFiles([add("a%2520b")], "file:///t %", "file:///c", count=1)))

    assert found.path == "file:/t%20%25/a%2520b"


@pytest.mark.parametrize(
    ("vector", "kind", "path"),
    [
        (("u", "ab^-aqEH.-t@S}K{vb[*k^"), "p", "file:/t/ab/deletion_vector_"),
        (("p", "file:/o/v.bin"), "p", "file:/o/v.bin"),
        (("i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"), "i", "wi5b="),
    ],
)
def test_vectors_are_named_by_whole_paths(vector, kind, path):
    given = DeletionVector(
        storage_type=vector[0],
        path_or_inline_dv=vector[1],
        offset=1,
        size_in_bytes=40,
        cardinality=6,
    )
    file = msgspec.structs.replace(add("a"), deletion_vector=given)

    found = next(iter(ForeignFiles([file], "file:///t", "file:///c", count=1))).deletion_vector

    assert found.storage_type == kind
    assert found.path_or_inline_dv.startswith(path)
    assert (found.offset, found.cardinality) == (1, 6)


def test_ids_and_versions_of_rows_are_given_anew():
    file = msgspec.structs.replace(
        add("a", stats=COUNTED), base_row_id=70, default_row_commit_version=7
    )

    found = next(iter(ForeignFiles([file], "file:///t", "file:///c", count=1)))

    assert (found.base_row_id, found.default_row_commit_version) == (None, None)


def test_file_without_counted_rows_is_refused_where_rows_get_ids():
    files = ForeignFiles(
        [add("a", stats=None)], "file:///t", "file:///c", count=1, needs_row_counts=True
    )

    with pytest.raises(DeltaUnsupportedOperationError, match="WITHOUT_STATS"):
        list(files)


def test_properties_of_one_table_stay_with_it(log, target):
    own = {
        "delta.rowTracking.materializedRowIdColumnName": "x",
        "delta.requireCheckpointProtectionBeforeVersion": "3",
        "delta.appendOnly": "true",
        "k": "t",
    }
    create(log, definition=metadata(**own), protocol=normal_form(["appendOnly"]))

    clone_of(log, target, properties={"k": "c"}).run()

    assert target.latest().configuration == {"delta.appendOnly": "true", "k": "c"}
    assert target.latest().metadata.id != log.latest().metadata.id
    assert target.latest().metadata.created_time == log.latest().metadata.created_time


def test_emptied_target_keeps_what_it_is_and_every_feature(log, target):
    create(log, add("a"))
    named = msgspec.structs.replace(metadata(k="c"), description="mine")
    create(target, definition=named, protocol=normal_form(["changeDataFeed"]))

    clone_of(log, target).run()

    after = target.latest()
    assert (after.version, after.metadata.id, after.metadata.description) == (1, named.id, "mine")
    assert "changeDataFeed" in features_of(after.protocol)
    assert "k" not in after.configuration


@pytest.mark.parametrize(("step", "before", "copied"), [(1, 9, 5), (-1, -9, -5), (1, 9, None)])
def test_emptied_target_never_gives_an_identity_value_twice(log, target, step, before, copied):
    create(log, definition=numbered(step, copied), protocol=normal_form(["identityColumns"]))
    create(target, definition=numbered(step, before), protocol=normal_form(["identityColumns"]))

    clone_of(log, target).run()

    assert identity_columns(target.latest().schema)[0].mark == before


def test_target_with_files_is_refused(log, target):
    create(log, add("a"))
    create(target, add("b"))

    with pytest.raises(DeltaIllegalStateError, match="DELTA_UNSUPPORTED_NON_EMPTY_CLONE"):
        clone_of(log, target).run()

    assert target.latest().version == 0


def test_rows_that_arrive_meanwhile_are_not_mixed_with_those_of_the_source(log, target):
    create(log, add("a"))
    create(target)
    clone = clone_of(log, target)
    commit(target, add("theirs"))

    with pytest.raises(ConcurrentWriteError):
        clone.run()

    assert target.latest().files["path"].to_pylist() == ["theirs"]


def test_new_target_that_another_writer_makes_first_is_a_conflict(log, target):
    create(log, add("a"))
    clone = clone_of(log, target)
    create(target)

    with pytest.raises(ConcurrentWriteError):
        clone.run()


def test_mapping_of_columns_cannot_change(log, target):
    create(log, add("a"))

    with pytest.raises(DeltaUnsupportedOperationError, match="COLUMN_MAPPING_MODE_CHANGE"):
        clone_of(log, target, properties={"delta.columnMapping.mode": "name"}).run()

    assert not target.exists()


def test_clustering_comes_along_and_other_domains_do_not(log, target):
    text = '{"clusteringColumns":[["a"]],"domainName":"delta.clustering"}'
    clustering = DomainMetadata(domain="delta.clustering", configuration=text, removed=False)
    other = DomainMetadata(domain="app", configuration="{}", removed=False)
    source = source_of(
        [],
        protocol=normal_form(["clustering", "domainMetadata"]),
        domains={"delta.clustering": clustering, "app": other},
    )

    Clone(Transaction(target, None), source).run()

    assert set(target.latest().domains) == {"delta.clustering"}


def test_preview_writes_nothing(log, target):
    create(log, add("a"), add("b"))

    preview = clone_of(log, target).preview()

    assert (preview.files, preview.source_version) == (2, 0)
    assert "CREATE" in str(preview)
    assert not target.exists()


def test_many_files_pass_in_bounded_memory(target):
    class Many:
        def __iter__(self):
            return (add(f"{number}", stats=COUNTED) for number in range(60_000))

    source = source_of(Many(), 60_000)
    tracemalloc.start()
    try:
        Clone(Transaction(target, None), source).run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert target.latest().num_files == 60_000
    assert peak < 200 * 1024 * 1024


def test_history_says_what_was_cloned(log, target):
    create(log, add("a"))

    clone_of(log, target).run()

    info = target.latest().commit_info
    assert info.operation == "CLONE"
    assert info.operation_parameters == {"source": "t", "sourceVersion": 0}
    assert info.operation_metrics["sourceNumOfFiles"] == "1"
    assert (info.read_version, info.is_blind_append) == (-1, False)


def test_urls_are_spelled_as_hadoop_does():
    assert hadoop_url("file:///t/a") == "file:/t/a"
    assert hadoop_url("s3a://b/a") == "s3a://b/a"
