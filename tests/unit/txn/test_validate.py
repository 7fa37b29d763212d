"""The last checks before a commit: each refuses what it is for, and nothing is written."""

import msgspec
import pytest

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaTableFeatureError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import (
    DeletionVector,
    DomainMetadata,
    Protocol,
    SetTransaction,
    encode_commit,
)
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.protocol.protocol import protocol_for_new_table, schema_of
from puredelta.txn.commit_info import BACKFILL, Operation
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import add, clustered, commit, metadata, remove, table

VECTOR = DeletionVector(storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=1)


def refused(log, *actions, **options):
    before = log.latest().version
    with pytest.raises(DeltaError) as raised:
        commit(log, *actions, **options)
    assert log.latest().version == before
    return raised.value


def test_partition_keys_must_be_those_of_the_table():
    error = refused(table(), add("x", partitioned=False))

    assert isinstance(error, DeltaIllegalStateError)
    assert error.condition == "DELTA_INVALID_PARTITIONING_SCHEMA"
    commit(table(()), add("x", partitioned=False))


def test_append_only_table_loses_no_rows():
    log = table(**{"delta.appendOnly": "true"})
    commit(log, add("x"))

    error = refused(log, remove("x"))

    assert isinstance(error, DeltaUnsupportedOperationError)
    assert error.condition == "DELTA_CANNOT_MODIFY_APPEND_ONLY"
    commit(log, remove("x", data_change=False), add("y", data_change=False))


def test_commit_that_takes_append_only_off_loses_no_rows():
    log = table(**{"delta.appendOnly": "true"})
    commit(log, add("x"))

    error = refused(log, remove("x"), metadata=metadata(**{"delta.appendOnly": "false"}))

    assert error.condition == "DELTA_CANNOT_MODIFY_APPEND_ONLY"


def test_commit_that_turns_append_only_on_may_lose_rows():
    log = table()
    commit(log, add("x"))

    commit(log, remove("x"), metadata=metadata(**{"delta.appendOnly": "true"}))

    assert log.latest().num_files == 0


@pytest.mark.parametrize(
    "actions",
    [
        [add("x"), add("x", p="2")],
        [remove("x"), remove("x")],
        [add("x"), remove("x")],
        [add("a%20b"), add("a b")],
    ],
)
def test_file_appears_once(actions):
    error = refused(table(), *actions)

    assert isinstance(error, DeltaRuntimeError)
    assert error.condition == "DELTA_DUPLICATE_ACTIONS_FOUND"


def test_same_path_with_another_vector_is_another_file():
    log = table(**{"delta.enableDeletionVectors": "true"})
    commit(log, add("x"))

    assert commit(log, remove("x"), add("x", vector=VECTOR)).version == 2


def test_vectors_must_be_turned_on():
    error = refused(table(), add("x", vector=VECTOR))

    assert isinstance(error, DeltaUnsupportedOperationError)
    assert error.condition == "DELTA_ADDING_DELETION_VECTORS_DISALLOWED"


def test_vectors_need_the_number_of_rows():
    log = table(**{"delta.enableDeletionVectors": "true"})

    error = refused(log, msgspec.structs.replace(add("x", vector=VECTOR), stats="{}"))

    assert isinstance(error, DeltaRuntimeError)
    assert error.condition == "DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS"


def test_files_with_vectors_of_earlier_times_get_row_ids():
    log = table(**{"delta.feature.rowTracking": "supported"})

    commit(log, add("x", vector=VECTOR, data_change=False), operation=Operation(BACKFILL))

    assert log.latest().files["base_row_id"].to_pylist() == [0]


def test_one_application_has_one_version():
    error = refused(
        table(), SetTransaction(app_id="q", version=1), SetTransaction(app_id="q", version=2)
    )

    assert isinstance(error, DeltaIllegalArgumentError)


def test_domains_need_their_feature():
    domain = DomainMetadata(domain="d", configuration="{}", removed=False)

    error = refused(table(), domain)

    assert error.condition == "DELTA_DOMAIN_METADATA_NOT_SUPPORTED"
    commit(table(**{"delta.feature.domainMetadata": "supported"}), domain)


def test_partition_columns_change_only_where_files_are_replaced():
    log = table()

    error = refused(log, metadata=metadata(()), operation=Operation("SET TBLPROPERTIES"))

    assert isinstance(error, DeltaAnalysisError)
    assert error.condition == "DELTA_UNSUPPORTED_PARTITION_COLUMN_CHANGE"
    commit(log, metadata=metadata(()), operation=Operation("CREATE OR REPLACE TABLE"))


def test_table_that_we_cannot_write_is_refused_by_feature():
    store = MemoryStore()
    name = "materializePartitionColumns"
    foreign = Protocol(min_reader_version=1, min_writer_version=7, writer_features=[name])
    store.put_if_absent(commit_name(0), encode_commit([foreign, metadata()]))
    log = TableLog(store)

    error = refused(log, add("x"))

    assert isinstance(error, DeltaTableFeatureError)
    assert error.parameters["unsupported"] == name


def test_property_that_we_cannot_honour_is_refused_when_it_is_set():
    error = refused(table(), metadata=metadata(**{"delta.enableIcebergCompatV2": "true"}))

    assert error.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"


def test_row_ids_cannot_be_wanted_and_suspended():
    both = {"delta.enableRowTracking": "true", "delta.rowTrackingSuspended": "true"}

    error = refused(table(), metadata=metadata(**both))

    assert isinstance(error, DeltaIllegalStateError)
    assert error.condition == "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION"


def test_row_ids_need_the_number_of_rows():
    log = table(**{"delta.enableRowTracking": "true"})

    error = refused(log, msgspec.structs.replace(add("x"), stats=None))

    assert isinstance(error, DeltaIllegalStateError)
    assert error.condition == "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS"
    assert error.parameters["path"] == "x.parquet"


def test_clustering_columns_need_statistics():
    log = clustered()

    error = refused(log, metadata=metadata((), **{"delta.dataSkippingNumIndexedCols": "0"}))

    assert isinstance(error, DeltaAnalysisError)
    assert error.condition == "DELTA_CLUSTERING_COLUMN_MISSING_STATS"
    assert error.parameters["columns"] == "a"
    commit(log, add("x", partitioned=False))


def test_isolation_level_that_there_is_not_is_refused():
    store = MemoryStore()
    odd = metadata(**{"delta.isolationLevel": "Odd"})
    plain = Protocol(min_reader_version=1, min_writer_version=2)
    store.put_if_absent(commit_name(0), encode_commit([plain, odd]))

    error = refused(TableLog(store), add("x"))

    assert error.condition == "DELTA_INVALID_ISOLATION_LEVEL"


def test_statistics_for_columns_that_are_not_there_are_refused():
    error = refused(table(), metadata=metadata(**{"delta.dataSkippingStatsColumns": "nope"}))

    assert error.condition == "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"


def mapped(*fields):
    """Metadata of a table with column mapping that keeps changes; each field is (name, id)."""
    columns = StructType(
        tuple(
            StructField(
                name,
                LONG,
                metadata={
                    "delta.columnMapping.id": number,
                    "delta.columnMapping.physicalName": f"col-{number}",
                },
            )
            for name, number in fields
        )
    )
    configuration = {
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "3",
        "delta.enableChangeDataFeed": "true",
    }
    plain = metadata((), **configuration)
    return msgspec.structs.replace(plain, schema_string=schema_to_json(columns))


def mapped_table():
    log = TableLog(MemoryStore(url="memory:///t"))
    first = mapped(("a", 1), ("b", 2))
    protocol, _ = protocol_for_new_table(first.configuration, schema_of(first))
    Transaction(log, None).commit([], Operation("CREATE TABLE"), metadata=first, protocol=protocol)
    return log


@pytest.mark.parametrize("fields", [[("a", 1)], [("a", 1), ("c", 2)], [("a", 1), ("b", 3)]])
def test_files_do_not_come_while_mapped_columns_go_where_changes_are_kept(fields):
    log = mapped_table()

    error = refused(log, add("x", partitioned=False), metadata=mapped(*fields))

    assert isinstance(error, DeltaUnsupportedOperationError)
    assert error.condition == "DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION"
    commit(log, metadata=mapped(*fields))


def test_files_come_with_new_columns_where_changes_are_kept():
    log = mapped_table()

    commit(log, add("x", partitioned=False), metadata=mapped(("a", 1), ("b", 2), ("c", 3)))
