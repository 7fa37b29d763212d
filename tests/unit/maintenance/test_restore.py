"""RESTORE without Spark: what the plan holds, what the commit says, what is refused."""

import msgspec
import pytest

from puredelta.errors import (
    ConcurrentWriteError,
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import DeletionVector
from puredelta.maintenance.restore import (
    check_files_exist,
    commit_restore,
    lost_files,
    outcome_of,
    plan_restore,
)
from puredelta.maintenance.restore_preview import restore_preview
from puredelta.maintenance.restore_target import (
    check_not_expired,
    version_to_restore,
    version_to_restore_at,
)
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, STRING, StructField, StructType
from puredelta.table.expressions.identity_columns import identity_columns
from puredelta.table.protocol.protocol import features_of
from puredelta.table.protocol.row_tracking import high_water_mark
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import add, clustered, commit, domain_of, lines, paths, remove, table

PROPERTIES = Operation("SET TBLPROPERTIES")


def vector(name):
    """A vector of a file of its own, which differs from others by its name."""
    return DeletionVector(storage_type="i", path_or_inline_dv=name, size_in_bytes=1, cardinality=1)


def plan(log, version, **options):
    return plan_restore("t", log.latest(), log.at_version(version), **options)


def restore(log, version, **options):
    transaction = Transaction(log, log.latest())
    return commit_restore(transaction, plan(log, version, **options), {"version": version})


def set_properties(log, **properties):
    before = log.latest().metadata
    configuration = {**before.configuration, **properties}
    new = msgspec.structs.replace(before, configuration=configuration)
    return commit(log, operation=PROPERTIES, metadata=new)


def number_rows(log, step, mark):
    """Make `a` an identity column that has given values up to a mark."""
    given = {"delta.identity.start": 1, "delta.identity.step": step}
    if mark is not None:
        given["delta.identity.highWaterMark"] = mark
    given["delta.identity.allowExplicitInsert"] = False
    schema = StructType((StructField("a", LONG, metadata=given), StructField("p", STRING)))
    before = log.latest().metadata
    metadata = msgspec.structs.replace(before, schema_string=schema_to_json(schema))
    commit(log, operation=PROPERTIES, metadata=metadata)


def test_files_come_back_and_leave():
    log = table()
    commit(log, add("a"), add("b"))
    commit(log, remove("a"), add("c"))

    restored = restore(log, 1)

    assert paths(log.latest()) == ["a.parquet", "b.parquet"]
    assert (restored.version, restored.restored_files, restored.removed_files) == (3, 1, 1)
    assert (restored.files, restored.size) == (2, 20)
    assert lines(log, 3)[0]["commitInfo"]["operationMetrics"] == restored.metrics()


def test_restored_files_are_changes_of_data():
    log = table()
    commit(log, add("a", data_change=False))
    commit(log, remove("a"))

    restore(log, 1)

    added = next(line["add"] for line in lines(log, 3) if "add" in line)
    assert (added["dataChange"], added["modificationTime"]) == (True, 1)


def test_tombstones_have_what_the_files_had():
    log = table()
    commit(log, add("a", p=None))

    restore(log, 0)

    gone = next(line["remove"] for line in lines(log, 2) if "remove" in line)
    assert gone["partitionValues"] == {}
    assert (gone["size"], gone["stats"], gone["dataChange"]) == (10, '{"numRecords":1}', True)


@pytest.mark.parametrize(("before", "after"), [(None, "x"), ("x", "y"), ("x", None)])
def test_a_file_with_another_vector_is_another_file(before, after):
    log = table(**{"delta.enableDeletionVectors": "true"})
    old, new = (None if name is None else vector(name) for name in (before, after))
    commit(log, add("a", vector=old, rows=5))
    gone = msgspec.structs.replace(remove("a"), deletion_vector=old)
    commit(log, gone, add("a", vector=new, rows=5), add("b"))

    found = plan(log, 1)

    assert found.added["path"].to_pylist() == ["a.parquet"]
    assert sorted(found.removed["path"].to_pylist()) == ["a.parquet", "b.parquet"]
    restore(log, 1)
    [file] = log.latest().files.to_pylist()
    assert (file["deletion_vector"] or {}).get("pathOrInlineDv") == before


def test_vectors_at_two_places_of_one_file_are_two():
    log = table(**{"delta.enableDeletionVectors": "true"})
    old, new = (
        DeletionVector(
            storage_type="p",
            path_or_inline_dv="memory:///t/v.bin",
            offset=offset,
            size_in_bytes=1,
            cardinality=1,
        )
        for offset in (1, 9)
    )
    commit(log, add("a", vector=old, rows=5))
    gone = msgspec.structs.replace(remove("a"), deletion_vector=old)
    commit(log, gone, add("a", vector=new, rows=5))

    restore(log, 1)

    [file] = log.latest().files.to_pylist()
    assert file["deletion_vector"]["offset"] == 1


def test_vectors_come_back_to_a_table_that_takes_no_new_ones():
    log = table(**{"delta.enableDeletionVectors": "true"})
    commit(log, add("a", vector=vector("x"), rows=5))
    set_properties(log, **{"delta.enableDeletionVectors": "false"})
    gone = msgspec.structs.replace(remove("a"), deletion_vector=vector("x"))
    commit(log, gone)

    restore(log, 2)

    assert paths(log.latest()) == ["a.parquet"]


def test_properties_go_back_and_features_stay():
    log = table()
    set_properties(log, **{"delta.enableDeletionVectors": "true", "mine": "1"})

    restore(log, 0)

    assert "mine" not in log.latest().configuration
    assert "deletionVectors" in features_of(log.latest().protocol)


def test_features_go_where_that_is_asked_for():
    log = table()
    before = log.latest().protocol
    set_properties(log, **{"delta.enableDeletionVectors": "true"})

    restore(log, 0, lowers_protocol=True)

    assert log.latest().protocol == before


def test_clustering_goes_back():
    log = clustered()
    commit(log, domain_of("delta.clustering", '{"clusteringColumns":[["p"]]}'))

    restore(log, 0)

    assert '[["a"]]' in log.latest().domains["delta.clustering"].configuration


def test_domains_of_others_stay():
    log = table(**{"delta.feature.domainMetadata": "supported"})
    commit(log, domain_of("mine", "new"))

    restore(log, 0)

    assert log.latest().domains["mine"].configuration == "new"


def test_row_ids_are_kept_and_never_given_twice():
    log = table(**{"delta.enableRowTracking": "true"})
    commit(log, add("a", rows=3))
    commit(log, add("b", rows=4))

    restore(log, 1)
    commit(log, add("c"))

    ids = {file["path"]: file["base_row_id"] for file in log.latest().files.to_pylist()}
    assert ids == {"a.parquet": 0, "c.parquet": 7}
    assert high_water_mark(log.latest().domains.values()) == 7


def test_names_of_columns_for_row_ids_stay():
    log = table()
    set_properties(log, **{"delta.feature.rowTracking": "supported"})
    key = "delta.rowTracking.materializedRowIdColumnName"
    named = {key: "ids", key.replace("RowId", "RowCommitVersion"): "versions"}
    set_properties(log, **named)

    restore(log, 0)

    assert log.latest().configuration[key] == "ids"


def test_column_ids_are_never_given_twice():
    log = table((), **{"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"})
    set_properties(log, **{"delta.columnMapping.maxColumnId": "9"})

    restore(log, 0)

    assert log.latest().configuration["delta.columnMapping.maxColumnId"] == "9"


@pytest.mark.parametrize(("step", "then", "now"), [(1, 5, 9), (-1, -5, -9), (1, None, 3)])
def test_identity_values_are_never_given_twice(step, then, now):
    log = table(**{"delta.feature.identityColumns": "supported"})
    number_rows(log, step, then)
    number_rows(log, step, now)

    restore(log, 1)

    assert identity_columns(log.latest().schema)[0].mark == now


def test_a_table_that_takes_only_appends_loses_no_rows():
    log = table(**{"delta.appendOnly": "true"})
    commit(log, add("a"))

    with pytest.raises(DeltaUnsupportedOperationError) as refused:
        plan(log, 0)

    assert refused.value.condition == "DELTA_CANNOT_MODIFY_APPEND_ONLY"
    assert log.latest().version == 1


def test_a_commit_that_came_first_is_a_conflict():
    log = table()
    commit(log, add("a"))
    transaction, found = Transaction(log, log.latest()), plan(log, 0)
    commit(log, add("b"))

    with pytest.raises(ConcurrentWriteError):
        commit_restore(transaction, found, {"version": 0})

    assert paths(log.latest()) == ["a.parquet", "b.parquet"]


def test_a_version_that_is_not_there():
    with pytest.raises(DeltaAnalysisError) as refused:
        version_to_restore(table(), 5)

    assert refused.value.condition == "DELTA_CANNOT_RESTORE_TABLE_VERSION"
    assert refused.value.parameters == {"version": "5", "startVersion": "0", "endVersion": "0"}


@pytest.mark.parametrize(
    ("time", "condition", "parameter"),
    [
        (1, "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER", "earliestTimestamp"),
        (10**14, "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER", "latestTimestamp"),
    ],
)
def test_a_time_without_a_version(time, condition, parameter):
    with pytest.raises(DeltaAnalysisError) as refused:
        version_to_restore_at(table(), time, show=str)

    assert refused.value.condition == condition
    assert refused.value.parameters.keys() == {"requestedTimestamp", parameter}
    assert refused.value.parameters["requestedTimestamp"] == str(time)


def test_versions_older_than_deleted_files_are_refused():
    log = table(**{"delta.deletedFileRetentionDuration": "interval 0 days"})
    old = log.latest()
    commit(log, add("a"))
    old.__dict__["timestamp_ms"] = 1  # the cached time of the version

    with pytest.raises(DeltaAnalysisError) as refused:
        check_not_expired(old, log.latest())

    condition = "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION"
    assert refused.value.condition == condition
    check_not_expired(log.latest(), log.latest())


@pytest.mark.parametrize("count", [1, 150])
def test_files_that_are_gone_are_named(count):
    log = table(())
    names = [f"f{number:03}" for number in range(count + 1)]
    commit(log, *(add(name, partitioned=False) for name in names))
    commit(log, *(remove(name, partitioned=False) for name in names))
    for name in names[1:]:
        log.store.put(f"{name}.parquet", b"")

    assert lost_files(plan(log, 1)) == ["f000.parquet"]
    with pytest.raises(DeltaIllegalArgumentError) as refused:
        check_files_exist(plan(log, 1))

    assert refused.value.condition == "PUREDELTA_RESTORE_FILES_MISSING"
    assert refused.value.parameters["files"] == "f000.parquet"
    assert refused.value.parameters["numFiles"] == "1"


def test_files_of_vectors_are_looked_for():
    log = table((), **{"delta.enableDeletionVectors": "true"})
    stored = DeletionVector(
        storage_type="p", path_or_inline_dv="memory:///t/v.bin", size_in_bytes=1, cardinality=1
    )
    commit(log, add("a", partitioned=False, vector=stored, rows=2))
    gone = msgspec.structs.replace(remove("a", partitioned=False), deletion_vector=stored)
    commit(log, gone)
    log.store.put("a.parquet", b"")

    assert lost_files(plan(log, 1)) == ["memory:///t/v.bin"]


def test_files_that_stay_are_not_looked_for():
    log = table(())
    commit(log, add("a", partitioned=False))
    commit(log, add("b", partitioned=False))

    assert lost_files(plan(log, 1)) == []


def test_the_newest_version_is_no_work():
    log = table()
    commit(log, add("a"))

    found = plan(log, 1)

    assert not found.has_effect
    assert outcome_of(found).version is None
    assert "nothing to do" in str(restore_preview(found))


def test_preview_shows_files_rows_and_properties():
    log = table(())
    commit(log, add("a", partitioned=False, rows=7))
    set_properties(log, mine="<1>")
    commit(log, remove("a", partitioned=False), add("b", partitioned=False, rows=2))

    shown = restore_preview(plan(log, 1))

    assert (shown.restored_rows, shown.removed_rows) == (7, 2)
    assert (shown.version, shown.target, shown.would_succeed) == (3, 1, False)
    assert shown.missing_files == ("a.parquet",)
    assert "mine: <1> -> not set" in str(shown)
    assert "mine: &lt;1&gt; -&gt; not set" in shown._repr_html_()
    assert shown.as_dict()["properties"] == [{"key": "mine", "before": "<1>", "after": None}]
    assert log.latest().version == 3
