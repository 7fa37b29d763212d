"""What becomes of a commit that lands behind others: metadata, times, row ids, domains."""

import json

import msgspec
import pytest

from puredelta.errors import MetadataChangedError
from puredelta.log.actions import CommitInfo, encode_commit
from puredelta.log.names import commit_name
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import STRING, StructField, StructType
from puredelta.table.protocol.row_tracking import COLUMN_NAMES
from puredelta.txn.commit_info import BACKFILL, Operation
from puredelta.txn.rebase import Base
from puredelta.txn.transaction import Transaction
from puredelta.txn.winning_commit import WinningCommit
from tests.unit.txn.tables import (
    NO_WAIT,
    WRITE,
    add,
    clustered,
    commit,
    domain_of,
    info,
    lines,
    metadata,
    remove,
    table,
    tags,
)

TRACKED = {"delta.feature.rowTracking": "supported"}
REPLACE = Operation("REPLACE TABLE")


def started(log):
    return Transaction(log, log.latest(), patience=NO_WAIT)


def changed(log, **configuration):
    """The metadata of a table with more properties."""
    now = log.latest().metadata
    return msgspec.structs.replace(now, configuration={**now.configuration, **configuration})


def row_ids(snapshot):
    return {row["path"]: row["base_row_id"] for row in snapshot.files.to_pylist()}


def mark(log):
    return json.loads(log.latest().domains["delta.rowTracking"].configuration)["rowIdHighWaterMark"]


def test_row_ids_lie_above_those_of_the_winners():
    log = table(**TRACKED)
    late, later = started(log), started(log)
    commit(log, add("first", rows=3))

    late.commit([add("late", rows=2)], WRITE)
    result = later.commit([add("later", rows=1)], WRITE)

    assert row_ids(result.snapshot) == {
        "first.parquet": 0, "late.parquet": 3, "later.parquet": 5,
    }  # fmt: skip
    assert mark(log) == 5
    assert lines(log, 3)[2]["add"]["defaultRowCommitVersion"] == 3


def test_suspended_table_gives_no_ids():
    log = table(**TRACKED, **{"delta.rowTrackingSuspended": "true"})

    result = commit(log, add("x"))

    assert row_ids(result.snapshot) == {"x.parquet": None}
    assert tags(log, 1) == ["commitInfo", "add"]


def test_overwrite_is_of_new_rows():
    log = table(**TRACKED)
    commit(log, add("x", rows=2))

    result = commit(log, remove("x"), add("y", rows=2))

    assert row_ids(result.snapshot) == {"y.parquet": 2}


def test_harmless_metadata_is_adopted():
    log = table(**{"delta.feature.inCommitTimestamp": "supported"})
    late = started(log)
    commit(log, metadata=changed(log, **{"delta.enableInCommitTimestamps": "true"}))

    result = late.commit([add("x")], WRITE)

    assert info(log, 2)["inCommitTimestamp"] > info(log, 1)["inCommitTimestamp"]
    assert result.snapshot.configuration["delta.inCommitTimestampEnablementVersion"] == "1"


def test_harmless_metadata_stops_who_has_metadata_too():
    log = table(**{"delta.feature.inCommitTimestamp": "supported"})
    late = started(log)
    mine = changed(log, mine="1")
    commit(log, metadata=changed(log, **{"delta.enableInCommitTimestamps": "true"}))

    with pytest.raises(MetadataChangedError):
        late.commit([], WRITE, metadata=mine)


def test_who_rewrote_rows_while_ids_were_turned_on_says_that_they_are_lost():
    log = table(**TRACKED)
    commit(log, add("x"), add("other"))
    appends, rewrites = started(log), started(log)
    commit(log, metadata=changed(log, **{"delta.enableRowTracking": "true"}))

    rewrites.commit([remove("x"), add("y")], WRITE)
    appends.commit([add("z")], WRITE)

    assert info(log, 3)["tags"] == {"delta.rowTracking.preserved": "false"}
    assert "tags" not in info(log, 4)


def test_turning_ids_on_and_nothing_else_is_marked():
    log = table(**TRACKED)

    commit(log, metadata=changed(log, **{"delta.enableRowTracking": "true"}))

    assert info(log, 1)["tags"] == {"rowTrackingEnablementOnly": "true"}


def test_new_metadata_names_the_columns_of_ids():
    log = table(**TRACKED)
    bare = {k: v for k, v in log.latest().configuration.items() if k not in COLUMN_NAMES}

    result = commit(log, metadata=metadata(**bare, mine="1"))

    assert set(COLUMN_NAMES) <= result.snapshot.configuration.keys()


def put_backfill(log, *adds):
    """Let another writer give ids to files that are there."""
    told = CommitInfo(operation=BACKFILL, is_blind_append=False)
    domain = domain_of("delta.rowTracking", '{"rowIdHighWaterMark":20}')
    name = commit_name(log.latest().version + 1)
    log.store.put_if_absent(name, encode_commit([told, *adds, domain]))


def test_ids_of_a_backfill_are_taken_over():
    log = table(**TRACKED, **{"delta.rowTrackingSuspended": "true"})
    commit(log, add("x"), add("y"))
    commit(log, metadata=changed(log, **{"delta.rowTrackingSuspended": "false"}))
    late = started(log)
    late.read_whole_table()
    given = [
        msgspec.structs.replace(one, base_row_id=place, default_row_commit_version=3)
        for place, one in enumerate([add("x", data_change=False), add("y", data_change=False)], 19)
    ]
    put_backfill(log, *given)

    result = late.commit([remove("x"), remove("y"), add("z")], WRITE)

    removed = {line["remove"]["path"]: line["remove"] for line in lines(log, 4) if "remove" in line}
    assert removed["x.parquet"]["baseRowId"] == 19
    assert removed["x.parquet"]["defaultRowCommitVersion"] == 3
    assert row_ids(result.snapshot)["z.parquet"] == 21


def test_backfill_leaves_out_files_that_others_touched():
    log = table(**TRACKED, **{"delta.rowTrackingSuspended": "true"})
    commit(log, add("x"), add("y"))
    commit(log, metadata=changed(log, **{"delta.rowTrackingSuspended": "false"}))
    late = started(log)
    commit(log, remove("x"), add("z", rows=5))

    result = late.commit(
        [add("x", data_change=False), add("y", data_change=False)], Operation(BACKFILL)
    )

    assert row_ids(result.snapshot) == {"y.parquet": 5, "z.parquet": 0}
    assert info(log, 4)["isolationLevel"] == "SnapshotIsolation"


def replaced(log):
    new = metadata((), **dict(log.latest().configuration))
    return msgspec.structs.replace(new, id="22222222-2222-2222-2222-222222222222")


def test_replaced_table_is_clustered_no_longer():
    log = clustered()

    result = commit(log, metadata=replaced(log), operation=REPLACE)

    text = result.snapshot.domains["delta.clustering"].configuration
    assert json.loads(text) == {"clusteringColumns": [], "domainName": "delta.clustering"}


def test_table_that_loses_a_clustering_column_is_clustered_no_longer():
    log = clustered()
    without = schema_to_json(StructType((StructField("p", STRING),)))
    metadata_without = msgspec.structs.replace(changed(log), schema_string=without)

    result = commit(log, metadata=metadata_without)

    assert '"clusteringColumns":[]' in result.snapshot.domains["delta.clustering"].configuration


def test_clustering_stays_while_its_columns_do():
    log = clustered()

    commit(log, metadata=changed(log, x="1"))
    commit(log, add("x", partitioned=False))

    assert tags(log, 1) == ["commitInfo", "metaData"]
    assert tags(log, 2) == ["commitInfo", "add"]


def test_replaced_table_keeps_the_mark_of_its_times():
    log = table()
    commit(log, metadata=changed(log, **{"delta.enableInCommitTimestamps": "true"}))
    marks = {k: v for k, v in log.latest().configuration.items() if "Enablement" in k}
    new = metadata(**{"delta.enableInCommitTimestamps": "true"})

    result = commit(log, metadata=new, operation=REPLACE)

    assert len(marks) == 2
    assert marks.items() <= result.snapshot.configuration.items()


def test_replaced_table_takes_away_domains_that_came_in_the_meantime():
    log = table(**{"delta.feature.domainMetadata": "supported"})
    late, new = started(log), replaced(log)
    commit(log, domain_of("theirs"), domain_of("both"))

    result = late.commit(
        [domain_of("both", "ours")],
        REPLACE,
        metadata=msgspec.structs.replace(new, partition_columns=["p"]),
    )

    assert {name: one.configuration for name, one in result.snapshot.domains.items()} == {
        "both": "ours"
    }


def test_protected_versions_end_where_the_drop_lands():
    log = table()
    late = started(log)
    mine = changed(log, **{"delta.requireCheckpointProtectionBeforeVersion": "1"})
    commit(log, add("x"))

    result = late.commit([], Operation("DROP FEATURE"), metadata=mine)

    configuration = result.snapshot.configuration
    assert configuration["delta.requireCheckpointProtectionBeforeVersion"] == "2"


def test_what_the_user_protects_is_left_alone():
    log = table()

    wanted = {"delta.requireCheckpointProtectionBeforeVersion": "7"}
    result = commit(log, metadata=changed(log, **wanted))

    assert wanted.items() <= result.snapshot.configuration.items()


def test_base_never_goes_back():
    base = Base(version=4, time=10, row_id_mark=9)

    after = base.after(WinningCommit(5, (CommitInfo(in_commit_timestamp=3),)))

    assert after == Base(version=5, time=10, row_id_mark=9)
