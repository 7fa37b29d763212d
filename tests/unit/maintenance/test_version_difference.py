"""How two versions differ, on logs that are made by hand."""

import json

import msgspec

from puredelta.log.actions import DeletionVector, Protocol
from puredelta.log.table_log import TableLog
from puredelta.maintenance.version_difference import version_difference
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import INTEGER, LONG, STRING, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.txn.commit_info import Operation
from tests.unit.txn.tables import add, commit, domain_of, remove, table

ALTER = Operation("CHANGE COLUMN")


def between(log, before, after):
    return version_difference(log.at_version(before), log.at_version(after))


def vector(deleted):
    return DeletionVector(
        storage_type="i", path_or_inline_dv=f"v{deleted}", size_in_bytes=1, cardinality=deleted
    )


def files_of(found):
    return [(row["change"], row["path"]) for row in found.files.to_pylist()]


def mapped(number, name, kind=LONG):
    known = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"c{number}"}
    return StructField(name, kind, metadata=known)


def logged(*versions):
    """A log of which each version is the actions that are given."""
    store = MemoryStore(url="memory:///t")
    for number, actions in enumerate(versions):
        text = "\n".join(json.dumps(action) for action in actions)
        assert store.put_if_absent(f"_delta_log/{number:020}.json", text.encode())
    return TableLog(store)


def metadata_action(schema, configuration=None, **more):
    return {
        "metaData": {
            "id": "i",
            "format": {"provider": "parquet"},
            "schemaString": schema_to_json(schema),
            "partitionColumns": [],
            "configuration": configuration or {},
            **more,
        }
    }


def protocol_action(reader, writer):
    return {"protocol": {"minReaderVersion": reader, "minWriterVersion": writer}}


def test_files_that_came_and_went():
    log = table()
    commit(log, add("a", rows=5), add("b", rows=7))
    commit(log, remove("a"), add("c", rows=3))

    found = between(log, 1, 2)

    assert (found.added.files, found.added.size, found.added.rows) == (1, 10, 3)
    assert (found.removed.files, found.removed.size, found.removed.rows) == (1, 10, 5)
    assert (found.totals_before.rows, found.totals_after.rows) == (12, 10)
    assert files_of(found) == [("added", "c.parquet"), ("removed", "a.parquet")]


def test_the_other_order_says_the_opposite():
    log = table()
    commit(log, add("a", rows=5))
    commit(log, remove("a"), add("c", rows=3))

    found = between(log, 2, 1)

    assert (found.added.rows, found.removed.rows) == (5, 3)
    assert files_of(found) == [("added", "a.parquet"), ("removed", "c.parquet")]


def test_file_with_another_vector_is_neither_added_nor_removed():
    log = table(**{"delta.enableDeletionVectors": "true"})
    commit(log, add("a", rows=10), add("b", rows=10, vector=vector(1)))
    marked = [remove("a"), add("a", rows=10, vector=vector(4))]
    again = msgspec.structs.replace(remove("b"), deletion_vector=vector(1))
    commit(log, *marked, again, add("b", rows=10, vector=vector(2)))

    found = between(log, 1, 2)

    assert (found.added.files, found.removed.files, found.changed.files) == (0, 0, 2)
    assert (found.rows_of_changed_before, found.changed.rows) == (19, 14)
    deleted = [(r["num_deleted_before"], r["num_deleted"]) for r in found.files.to_pylist()]
    assert deleted == [(0, 4), (1, 2)]
    assert "other rows deleted: 2 files with 5 rows fewer" in str(found)
    assert "other rows deleted: 2 files with 5 rows more" in str(between(log, 2, 1))


def test_file_without_statistics_has_an_unknown_number_of_rows():
    log = table()
    commit(log, msgspec.structs.replace(add("a"), stats=None))

    found = between(log, 0, 1)

    assert found.added.rows is None
    assert "added: 1 file, 10 B, an unknown number of rows" in str(found)


def test_columns_that_were_renamed_added_dropped_and_widened():
    before = StructType((mapped(1, "a"), mapped(2, "n", INTEGER), mapped(3, "gone", STRING)))
    after = StructType((mapped(1, "b"), mapped(2, "n", LONG), mapped(4, "new", STRING)))
    mode = {"delta.columnMapping.mode": "name"}
    log = logged(
        [protocol_action(2, 5), metadata_action(before, mode)], [metadata_action(after, mode)]
    )

    found = between(log, 0, 1)

    assert [str(column) for column in found.columns] == [
        "a: renamed to b",
        "n: INT -> BIGINT",
        "gone: dropped, it was STRING",
        "new: added, STRING",
    ]
    assert found.as_dict()["columns"][0] == {
        "kind": "renamed",
        "column": "a",
        "before": "a",
        "after": "b",
    }


def test_properties_definition_and_protocol():
    schema = StructType((StructField("a", LONG),))
    log = logged(
        [protocol_action(1, 2), metadata_action(schema, {"gone": "1", "other": "1"})],
        [
            protocol_action(1, 4),
            metadata_action(schema, {"other": "2", "new": "3"}, name="t", description="d"),
        ],
    )

    found = between(log, 0, 1)

    assert [str(changed) for changed in found.properties] == [
        "gone: 1 -> not set",
        "new: not set -> 3",
        "other: 1 -> 2",
    ]
    assert [changed.key for changed in found.definition] == ["description", "name"]
    assert [str(changed) for changed in found.protocol] == ["writer version: 2 -> 4"]
    assert found.features_added == ("changeDataFeed", "checkConstraints", "generatedColumns")
    assert "  writer version: 2 -> 4\n" in str(found)
    assert "  name: none -> t\n" in str(found)


def test_features_and_domains():
    log = table()
    features = ["appendOnly", "invariants", "domainMetadata"]
    new = Protocol(min_reader_version=1, min_writer_version=7, writer_features=features)
    commit(log, domain_of("mine", "{1}"), protocol=new, operation=ALTER)

    found = between(log, 0, 1)

    assert found.features_added == ("domainMetadata",)
    assert [(changed.key, changed.after) for changed in found.definition] == [
        ("domain mine", "{1}")
    ]


def test_a_version_is_like_itself():
    log = table()
    commit(log, add("a"))

    found = between(log, 1, 1)

    assert files_of(found) == []
    assert found.columns == found.properties == found.definition == found.protocol == ()
    assert "files: the same" in str(found)
