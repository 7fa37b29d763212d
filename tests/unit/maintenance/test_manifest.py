"""Manifests without Spark: which files they list, where they lie, and when they are brought up."""

import os
import time

import msgspec
import pytest

from puredelta.errors import (
    DeltaIllegalArgumentError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import DeletionVector
from puredelta.log.table_log import TableLog
from puredelta.maintenance.manifest import (
    FOLDER,
    ManifestNames,
    check_mode,
    existing_manifests,
    write_manifests,
)
from puredelta.maintenance.manifest_upkeep import ManifestUpkeep
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import STRING, TIMESTAMP, StructField, StructType
from puredelta.storage.local import LocalStore
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, WRITE, add, commit, create, remove, table

ASKED = "delta.compatibility.symlinkFormatManifest.enabled"


def manifests(log):
    """Return the lines of each manifest, by its folder."""
    found = existing_manifests(log.latest())
    return {
        name.removeprefix(f"{FOLDER}/"): log.store.read(name).decode().splitlines()
        for name in sorted(found)
    }


def upkeep(log, *actions, operation=WRITE, **options):
    transaction = Transaction(log, log.latest(), patience=NO_WAIT)
    transaction.follow_ups = (ManifestUpkeep(ManifestNames(root="x:/t")),)
    return transaction.commit(list(actions), operation, **options)


def enable(log):
    before = log.latest().metadata
    new = msgspec.structs.replace(before, configuration={ASKED: "true"})
    return upkeep(log, operation=Operation("SET TBLPROPERTIES"), metadata=new)


def test_each_partition_has_a_manifest():
    log = table()
    commit(log, add("a", p="1"), add("b", p="1"), add("c", p="x/y"), add("d", p=None))

    assert write_manifests(log.latest(), ManifestNames()) == 3

    assert manifests(log) == {
        "p=1/manifest": ["memory:///t/a.parquet", "memory:///t/b.parquet"],
        "p=x%2Fy/manifest": ["memory:///t/c.parquet"],
        "p=__HIVE_DEFAULT_PARTITION__/manifest": ["memory:///t/d.parquet"],
    }


def test_what_a_killed_process_was_writing_is_deleted_and_nothing_else(tmp_path):
    log = TableLog(LocalStore(str(tmp_path)))
    create(log)
    commit(log, add("a", p="1"))
    hours_ago = time.time() - 2 * 3600
    gone, kept = tmp_path / FOLDER / "p=2", tmp_path / FOLDER / "p=1"
    for folder, name, is_old in [
        (gone, f".manifest.{'1f' * 16}.tmp", True),
        (kept, f".manifest.{'2f' * 16}.tmp", True),
        # It may be that of a process that runs.
        (kept, f".manifest.{'3f' * 16}.tmp", False),
        (kept, ".of-somebody.tmp", True),
    ]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("file:/x\n")
        if is_old:
            os.utime(folder / name, (hours_ago, hours_ago))

    write_manifests(log.latest(), ManifestNames())

    assert not gone.exists()
    left = sorted(one.name for one in kept.iterdir())
    assert left == [f".manifest.{'3f' * 16}.tmp", ".of-somebody.tmp", "manifest"]


def test_a_table_without_files_has_an_empty_manifest():
    log = table(())

    write_manifests(log.latest(), ManifestNames())

    assert manifests(log) == {"manifest": []}


def test_manifests_of_partitions_that_are_gone_are_deleted():
    log = table()
    commit(log, add("a", p="1"), add("b", p="2"))
    write_manifests(log.latest(), ManifestNames())
    commit(log, remove("a", p="1"))

    write_manifests(log.latest(), ManifestNames())

    assert list(manifests(log)) == ["p=2/manifest"]


def test_files_are_named_without_escapes_by_the_name_of_the_table():
    log = table(())
    commit(log, add("a%20b", partitioned=False), add("file:/other/c", partitioned=False))

    write_manifests(log.latest(), ManifestNames(root="s3a://bucket/t/"))

    assert manifests(log) == {"manifest": ["s3a://bucket/t/a b.parquet", "file:/other/c.parquet"]}


@pytest.mark.parametrize(
    ("zone", "folder"),
    [
        ("UTC", "p=2024-07-01 10%3A00%3A00.5"),
        ("Europe/Oslo", "p=2024-07-01 12%3A00%3A00.5"),
        ("-03:30", "p=2024-07-01 06%3A30%3A00.5"),
    ],
)
def test_times_are_named_in_a_zone(zone, folder):
    log = table()
    schema = StructType((StructField("a", STRING), StructField("p", TIMESTAMP)))
    metadata = msgspec.structs.replace(log.latest().metadata, schema_string=schema_to_json(schema))
    commit(log, operation=Operation("WRITE"), metadata=metadata)
    commit(log, add("a", p="2024-07-01T10:00:00.500000Z"))

    write_manifests(log.latest(), ManifestNames(zone=zone))

    assert list(manifests(log)) == [f"{folder}/manifest"]


def test_deletion_vectors_are_refused():
    log = table(**{"delta.enableDeletionVectors": "true"})
    write_manifests(log.latest(), ManifestNames())
    vector = DeletionVector(storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=1)
    commit(log, add("a", vector=vector))

    with pytest.raises(DeltaUnsupportedOperationError) as refused:
        write_manifests(log.latest(), ManifestNames())

    assert refused.value.condition == "DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS"


def test_mapped_columns_are_refused():
    log = table((), **{"delta.columnMapping.mode": "name"})

    with pytest.raises(DeltaUnsupportedOperationError) as refused:
        write_manifests(log.latest(), ManifestNames())

    condition = "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING"
    assert refused.value.condition == condition


def test_modes_are_known_in_any_case():
    check_mode("Symlink_FORMAT_manifest")

    with pytest.raises(DeltaIllegalArgumentError) as refused:
        check_mode("other")

    assert refused.value.condition == "DELTA_MODE_NOT_SUPPORTED"


def test_tables_that_do_not_ask_get_no_manifests():
    log = table()

    upkeep(log, add("a"))

    assert manifests(log) == {}


def test_all_partitions_are_listed_once_the_table_asks():
    log = table()
    commit(log, add("a", p="1"))

    enable(log)

    assert manifests(log) == {"p=1/manifest": ["x:/t/a.parquet"]}


def test_all_partitions_are_listed_where_another_writer_wrote_no_manifest():
    log = table(**{ASKED: "true"})
    commit(log, add("a", p="1"))

    upkeep(log, add("b", p="2"))

    assert list(manifests(log)) == ["p=1/manifest", "p=2/manifest"]


def test_only_partitions_that_change_are_written():
    log = table(**{ASKED: "true"})
    upkeep(log, add("a", p="1"), add("b", p="2"), add("n", p=None))
    untouched = f"{FOLDER}/p=1/{'manifest'}"
    log.store.put(untouched, b"as it was\n")

    upkeep(log, add("c", p="2"), add("d", p="3"), remove("n", p=None))

    assert manifests(log) == {
        "p=1/manifest": ["as it was"],
        "p=2/manifest": ["x:/t/b.parquet", "x:/t/c.parquet"],
        "p=3/manifest": ["x:/t/d.parquet"],
    }


def test_folders_of_partitions_that_are_gone_go_with_their_manifests(tmp_path):
    def of(file, a, p):
        return msgspec.structs.replace(file, partition_values={"p": p, "a": a})

    log = TableLog(LocalStore(tmp_path.as_uri()))
    create(log, ("p", "a"), **{ASKED: "true"})
    upkeep(log, *(of(add(a + p), a, p) for p in ("x", "y") for a in ("1", "2")))
    (tmp_path / FOLDER / "p=y" / "notes").write_text("of somebody")

    gone = (("1", "x"), ("2", "x"), ("1", "y"))
    upkeep(log, *(of(remove(a + p), a, p) for a, p in gone))

    left = sorted(str(entry.relative_to(tmp_path / FOLDER)) for entry in tmp_path.rglob("*=*"))
    assert left == ["p=y", "p=y/a=2"]
    upkeep(log, of(remove("2y"), "2", "y"))
    assert [entry.name for entry in (tmp_path / FOLDER).iterdir()] == ["p=y"]


def test_empty_text_and_null_are_one_partition():
    log = table(**{ASKED: "true"})
    upkeep(log, add("a", p=None), add("b", p=None))

    upkeep(log, remove("a", p=""), add("c", p=""))

    listed = manifests(log)["p=__HIVE_DEFAULT_PARTITION__/manifest"]
    assert sorted(listed) == ["x:/t/b.parquet", "x:/t/c.parquet"]


def test_a_failure_leaves_the_version():
    log = table(**{ASKED: "true"})
    wrong = ManifestNames(zone="Nowhere/Land")
    schema = StructType((StructField("a", STRING), StructField("p", TIMESTAMP)))
    metadata = msgspec.structs.replace(log.latest().metadata, schema_string=schema_to_json(schema))
    commit(log, operation=Operation("WRITE"), metadata=metadata)
    transaction = Transaction(log, log.latest(), patience=NO_WAIT)
    transaction.follow_ups = (ManifestUpkeep(wrong),)

    with pytest.raises(DeltaRuntimeError) as failed:
        transaction.commit([add("a", p="2024-07-01T10:00:00.500000Z")], WRITE)

    assert failed.value.condition == "DELTA_POST_COMMIT_HOOK_FAILED"
    assert failed.value.parameters["version"] == "2"
    assert log.latest().version == 2


def test_a_table_with_vectors_cannot_ask():
    log = table(**{"delta.enableDeletionVectors": "true"})
    vector = DeletionVector(storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=1)
    commit(log, add("a", vector=vector))

    with pytest.raises(DeltaUnsupportedOperationError) as refused:
        enable(log)

    assert refused.value.condition == (
        "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED."
        "EXISTING_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION"
    )


def test_a_table_with_mapped_columns_cannot_ask():
    log = table(())
    asked = {ASKED: "true", "delta.columnMapping.mode": "name"}
    new = msgspec.structs.replace(log.latest().metadata, configuration=asked)

    with pytest.raises(DeltaUnsupportedOperationError) as refused:
        upkeep(log, operation=Operation("SET TBLPROPERTIES"), metadata=new)

    condition = "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING"
    assert refused.value.condition == condition
