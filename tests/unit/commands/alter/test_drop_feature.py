"""DROP FEATURE on tables in memory: what goes, what is refused, and what others do meanwhile."""

import io
from dataclasses import dataclass
from types import SimpleNamespace

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta._util.clock import now_ms
from puredelta.commands.alter.drop_feature import DropFeature
from puredelta.commands.alter.feature_cleanup import RETYPE, files_of_older_types, widened_files
from puredelta.errors import DeltaAnalysisError, DeltaTableFeatureError
from puredelta.log.actions import (
    AddFile,
    DeletionVector,
    DomainMetadata,
    Format,
    Metadata,
    Protocol,
    RemoveFile,
    decode_commit,
    encode_commit,
)
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import INTEGER, LONG, StructField, StructType
from puredelta.settings import Settings
from puredelta.storage.memory import MemoryStore
from puredelta.table.protocol.protocol import features_of
from puredelta.txn.post_commit import checkpoint_version

VECTOR = DeletionVector(
    storage_type="u",
    path_or_inline_dv="ab^-aqEH.-t@S}K{vb[*k^",
    offset=1,
    size_in_bytes=34,
    cardinality=2,
)
WIDENED = {"delta.typeChanges": [{"toType": "long", "fromType": "integer"}]}


@dataclass
class Table:
    """A table in memory, in the form that commands take."""

    store: MemoryStore

    label = "t"

    def __post_init__(self):
        self._log = TableLog(self.store)

    def log(self):
        return self._log


class Session:
    """Stands for a session of which only the identity counts."""


SESSION = Session()


def context(**settings):
    return SimpleNamespace(
        session=SESSION,
        settings=Settings(**settings),
        engine="test",
        remember_version=lambda _: None,
    )


def table(features, *actions, schema=None, readers=(), **configuration):
    """A table of one version, with whatever another program may have written."""
    schema = schema or StructType((StructField("a", INTEGER),))
    protocol = Protocol(
        min_reader_version=3 if readers else 1,
        min_writer_version=7,
        reader_features=list(readers) if readers else None,
        writer_features=["appendOnly", "invariants", *readers, *features],
    )
    metadata = Metadata(
        id="0",
        format=Format(),
        schema_string=schema_to_json(schema),
        partition_columns=[],
        configuration={f"delta.{key.replace('__', '.')}": v for key, v in configuration.items()},
        created_time=1,
    )
    store = MemoryStore(now=now_ms)
    store.put(commit_name(0), encode_commit([metadata, protocol, *actions]))
    return Table(store)


def add(name="f", **fields):
    plain = {
        "path": f"{name}.parquet",
        "partition_values": {},
        "size": 10,
        "modification_time": 1,
        "data_change": True,
        "stats": '{"numRecords":5}',
    }
    return AddFile(**{**plain, **fields})


def parquet(store, name, kind):
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": pa.array([1, 2], kind)}), sink)
    store.put(f"{name}.parquet", sink.getvalue())
    return add(name, size=len(sink.getvalue()))


def drop(target, feature, *, truncates=False, **settings):
    command = DropFeature(table=target, feature=feature, truncates_history=truncates)
    return command.run(context(**settings))


def operations(target):
    return [row.info.operation for row in reversed(target.log().history()) if row.info is not None]


def refused(target, feature, **options):
    with pytest.raises((DeltaTableFeatureError, DeltaAnalysisError)) as caught:
        drop(target, feature, **options)
    return caught.value.condition.removeprefix("DELTA_").removeprefix("FEATURE_DROP_")


def test_writer_feature_goes_in_one_commit():
    target = table(["domainMetadata"])

    after = drop(target, "domainMetadata")

    assert after.version == 1
    assert after.protocol == Protocol(min_reader_version=1, min_writer_version=2)


def test_domains_end_before_their_feature_goes():
    domain = DomainMetadata(domain="mine", configuration="{}", removed=False)
    target = table(["domainMetadata"], domain)

    after = drop(target, "domainMetadata")

    assert operations(target) == ["DOMAIN METADATA CLEANUP", "DROP FEATURE"]
    assert not [one for one in after.domains.values() if not one.removed]


def test_constraints_are_the_users_to_drop():
    target = table(["checkConstraints"], constraints__positive="a > 0")

    with pytest.raises(DeltaAnalysisError, match="positive"):
        drop(target, "checkConstraints")

    assert target.log().latest().version == 0


def test_vectors_of_removed_files_get_tombstones_of_their_own():
    removed = RemoveFile(
        path="old.parquet", deletion_timestamp=2**50, data_change=True, deletion_vector=VECTOR
    )
    inline = msgspec.structs.replace(VECTOR, storage_type="i", offset=None)
    other = msgspec.structs.replace(removed, path="b.parquet", deletion_vector=inline)
    target = table([], removed, other, readers=["deletionVectors"])

    after = drop(target, "deletionVectors")

    written = decode_commit(target.store.read(commit_name(1)), "1")
    paths = [one.path for one in written if isinstance(one, RemoveFile)]
    assert paths == ["ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"]
    assert features_of(after.protocol) == {"appendOnly", "invariants", "checkpointProtection"}


def test_history_stays_behind_checkpoints():
    target = table([], readers=["vacuumProtocolCheck"])

    after = drop(target, "vacuumProtocolCheck")

    assert operations(target) == [*["Empty Commit"] * 3, "DROP FEATURE"]
    assert after.configuration == {"delta.requireCheckpointProtectionBeforeVersion": "4"}
    names = [one.name for one in target.store.list_from("_delta_log")]
    assert sum("checkpoint.parquet" in name for name in names) == 4


def test_without_fast_drop_history_must_be_clean():
    clean = table([], readers=["deletionVectors"])
    used = table([], readers=["deletionVectors"], enableDeletionVectors="true")

    assert drop(clean, "deletionVectors", fast_drop_feature=False).protocol.min_reader_version == 1
    slow = {"fast_drop_feature": False}
    assert refused(used, "deletionVectors", **slow) == "WAIT_FOR_RETENTION_PERIOD"
    assert refused(used, "deletionVectors", **slow) == "HISTORICAL_VERSIONS_EXIST"


def test_v2_checkpoint_in_the_log_is_historical_use():
    target = table([], readers=["v2Checkpoint"])
    name = "_delta_log/00000000000000000000.checkpoint.0a-b.json"
    target.store.put(name, b'{"checkpointMetadata":{"version":0}}')

    assert refused(target, "v2Checkpoint", truncates=True) == "HISTORICAL_VERSIONS_EXIST"


def test_widened_columns_are_forgotten_when_all_files_are_wide():
    schema = StructType((StructField("a", LONG, metadata=WIDENED),))
    target = table([], schema=schema, readers=["typeWidening"], enableTypeWidening="true")
    wide = parquet(target.store, "wide", pa.int64())
    target.store.put(commit_name(1), encode_commit([wide]))

    after = drop(target, "typeWidening")

    assert after.schema == StructType((StructField("a", LONG),))
    assert operations(target)[:2] == ["UNSET TBLPROPERTIES", "DROP FEATURE"]


def test_only_files_of_the_narrow_type_are_written_anew():
    schema = StructType((StructField("a", LONG, metadata=WIDENED),))
    target = table([], schema=schema, readers=["typeWidening"])
    files = [parquet(target.store, "wide", pa.int64()), parquet(target.store, "old", pa.int32())]
    target.store.put(commit_name(1), encode_commit(files))

    before = target.log().latest()

    assert widened_files(before) is RETYPE
    assert files_of_older_types(before, before.files)["path"].to_pylist() == [files[1].path]


def mapped(name, physical):
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": physical}
    return StructType((StructField(name, INTEGER, metadata=keys),))


def test_mapping_goes_where_files_have_the_names_of_the_table():
    target = table(
        [],
        add(),
        schema=mapped("a", "a"),
        readers=["columnMapping"],
        columnMapping__mode="name",
        columnMapping__maxColumnId="1",
    )

    after = drop(target, "columnMapping")

    assert after.schema == StructType((StructField("a", INTEGER),))
    assert "delta.columnMapping.mode" not in after.configuration


def test_mapping_of_renamed_columns_goes_with_the_files():
    renamed = mapped("a", "col-1")
    target = table([], schema=renamed, readers=["columnMapping"], columnMapping__mode="name")

    assert drop(target, "columnMapping").schema.names == ["a"]
    assert operations(target)[-1] == "DROP FEATURE"


def test_mapping_stays_while_names_need_it():
    special = mapped("a b", "col-1")
    target = table([], schema=special, readers=["columnMapping"], columnMapping__mode="name")

    with pytest.raises(DeltaAnalysisError, match="a b") as caught:
        drop(target, "columnMapping")

    assert caught.value.condition == "DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING"


def test_row_ids_are_taken_from_the_files():
    numbered = add(base_row_id=0, default_row_commit_version=0)
    domain = DomainMetadata(
        domain="delta.rowTracking", configuration='{"rowIdHighWaterMark":4}', removed=False
    )
    target = table(["domainMetadata", "rowTracking"], numbered, domain, enableRowTracking="true")

    after = drop(target, "rowTracking")

    assert after.files["base_row_id"].null_count == after.num_files == 1
    assert after.configuration == {}
    assert not [one for one in after.domains.values() if not one.removed]


def test_trace_that_another_writer_brings_back_stops_the_drop(monkeypatch):
    target = table([], readers=["deletionVectors"])
    store, calls = target.store, []
    put = store.put_if_absent

    def race(name, data):
        calls.append(name)
        if name == commit_name(5):
            put(name, encode_commit([add(deletion_vector=VECTOR)]))
        return put(name, data)

    monkeypatch.setattr(store, "put_if_absent", race)

    with pytest.raises(DeltaTableFeatureError) as caught:
        drop(target, "deletionVectors")

    assert caught.value.condition == "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"


def test_commit_of_others_that_leaves_no_trace_is_followed(monkeypatch):
    target = table([], readers=["vacuumProtocolCheck"])
    store = target.store
    put = store.put_if_absent

    def race(name, data):
        if name == commit_name(4):
            put(name, encode_commit([add()]))
        return put(name, data)

    monkeypatch.setattr(store, "put_if_absent", race)

    after = drop(target, "vacuumProtocolCheck")

    assert after.version == 5
    assert after.configuration["delta.requireCheckpointProtectionBeforeVersion"] == "5"


def with_cleaned_history(*features, readers=(), **configuration):
    """A table of the versions 2 to 6, and a checkpoint at 4."""
    target = table(features, readers=readers, **configuration)
    for version in range(1, 7):
        target.store.put(commit_name(version), encode_commit([add(f"f{version}")]))
    checkpoint_version(target.log().at_version(4), now_ms())
    target.store.delete([commit_name(0), commit_name(1)])
    return Table(target.store)


def test_feature_goes_with_its_history_from_a_log_whose_oldest_commits_were_cleaned():
    target = with_cleaned_history(readers=["deletionVectors"])

    after = drop(target, "deletionVectors", truncates=True)

    assert features_of(after.protocol) == {"appendOnly", "invariants"}
    assert after.num_files == 6


def test_use_in_the_oldest_readable_version_of_a_cleaned_log_is_historical():
    target = with_cleaned_history(readers=["deletionVectors"], enableDeletionVectors="true")

    refusals = [refused(target, "deletionVectors", truncates=True) for _ in range(2)]

    assert refusals == ["WAIT_FOR_RETENTION_PERIOD", "HISTORICAL_VERSIONS_EXIST"]


def protected_before(version):
    key = "requireCheckpointProtectionBeforeVersion"
    return with_cleaned_history("checkpointProtection", **{key: str(version)})


def test_protection_goes_when_all_that_is_before_its_version_cannot_be_read_any_more():
    after = drop(protected_before(4), "checkpointProtection", truncates=True)

    assert "checkpointProtection" not in features_of(after.protocol)


def test_protection_stays_while_a_version_before_its_own_can_be_read():
    condition = refused(protected_before(5), "checkpointProtection", truncates=True)

    assert condition == "CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD"
