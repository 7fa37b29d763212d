"""Files, partitions, statistics and checkpoints of a version as Arrow tables."""

import json
from datetime import date, datetime, timezone
from decimal import Decimal

import msgspec
import pyarrow as pa
import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.log.inspection.checkpoints import CHECKPOINTS, list_checkpoints
from puredelta.log.inspection.column_stats import list_stats
from puredelta.log.inspection.files import list_files
from puredelta.log.inspection.partitions import list_partitions
from puredelta.log.names import checkpoint_part_name
from puredelta.log.snapshot import Snapshot
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_options import CheckpointForm
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    BINARY,
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    StructField,
    StructType,
    UnknownType,
)
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, add, commit, create, remove, vector


def snapshot(
    *adds, fields: dict[str, DataType] | None = None, by: tuple[str, ...] = ()
) -> Snapshot:
    """Return version 0 of a table with some columns and files."""
    columns = {"v": LONG} | (fields or {})
    schema = StructType(tuple(StructField(name, kind) for name, kind in columns.items()))
    return snapshot_of_schema(schema, *adds, by=by)


def snapshot_of_schema(schema: StructType, *adds, by: tuple[str, ...] = ()) -> Snapshot:
    table = msgspec.structs.replace(
        METADATA, schema_string=schema_to_json(schema), partition_columns=list(by)
    )
    store = MemoryStore()
    create(store, *adds, table=table)
    return TableLog(store).latest()


def file(path: str, values=None, stats: object = None, **other):
    text = None if stats is None else json.dumps(stats)
    return add(path, partition_values=values or {}, stats=text, **other)


# ------------------------------------------------------------------------------- files


def test_file_tells_all_that_the_log_keeps_with_it():
    at = snapshot(
        file(
            "a",
            stats={"numRecords": 7},
            vector=vector(1),
            tags={"k": "v"},
            base_row_id=40,
            default_row_commit_version=3,
            clustering_provider="liquid",
        )
    )

    (row,) = list_files(at).to_pylist()

    assert row == {
        "path": "a",
        "size": 10,
        "modification_time": datetime(2023, 11, 14, 22, 13, 20, tzinfo=timezone.utc),
        "num_records": 7,
        "num_deleted": 1,
        "tags": [("k", "v")],
        "base_row_id": 40,
        "default_row_commit_version": 3,
        "clustering_provider": "liquid",
        "stats": '{"numRecords": 7}',
    }


def test_columns_of_files_are_the_same_whether_there_are_any():
    some = snapshot(file("a", {"d": "2024-01-31"}), fields={"d": DATE}, by=("d",))

    none = snapshot(fields={"d": DATE}, by=("d",))

    assert list_files(none).schema == list_files(some).schema
    assert list_files(none).num_rows == 0


def test_partition_values_are_read_as_the_caller_says():
    at = snapshot(file("a", {"t": "2024-01-02 03:04:05"}), fields={"t": TIMESTAMP}, by=("t",))

    def always(texts: pa.Array, kind: DataType) -> pa.Array:
        return pa.array([f"{text} as {kind.name}" for text in texts.to_pylist()])

    (row,) = list_files(at, always).to_pylist()
    assert row["partition"] == {"t": "2024-01-02 03:04:05 as timestamp"}
    # Nobody says in which zone, so it stays as it is.
    assert list_files(at).to_pylist()[0]["partition"] == {"t": "2024-01-02 03:04:05"}


# -------------------------------------------------------------------------- partitions


def test_partition_sums_up_its_files():
    at = snapshot(
        file("a", {"p": "10"}, {"numRecords": 5}, size=100, modification_time=2_000),
        file("b", {"p": "9"}, {"numRecords": 1}, size=1),
        file("c", {"p": "10"}, {"numRecords": 6}, size=30, vector=vector(1), modification_time=1),
        fields={"p": INTEGER},
        by=("p",),
    )

    nine, ten = list_partitions(at).to_pylist()

    assert (nine["partition"], nine["num_files"]) == ({"p": 9}, 1)
    assert ten == {
        "partition": {"p": 10},
        "num_files": 2,
        "size": 130,
        "num_records": 11,
        "num_deleted": 1,
        "smallest_file": 30,
        "largest_file": 100,
        "modification_time": datetime(1970, 1, 1, 0, 0, 2, tzinfo=timezone.utc),
    }


def test_null_and_empty_text_are_one_partition():
    at = snapshot(
        file("a", {"p": ""}), file("b", {"p": None}), file("c", {}), fields={"p": STRING}, by=("p",)
    )

    (row,) = list_partitions(at).to_pylist()

    assert (row["partition"], row["num_files"]) == ({"p": None}, 3)


def test_rows_of_a_partition_are_unknown_when_a_file_does_not_tell():
    at = snapshot(file("a", {"p": "x"}, {"numRecords": 5}), file("b", {"p": "x"}), by=("p",))

    (row,) = list_partitions(at).to_pylist()

    assert (row["num_records"], row["num_deleted"]) == (None, 0)


def test_unpartitioned_table_is_one_partition_and_an_empty_one_none():
    (row,) = list_partitions(snapshot(file("a", size=3), file("b", size=4))).to_pylist()

    assert (row["num_files"], row["size"]) == (2, 7)
    assert "partition" not in row
    assert list_partitions(snapshot()).num_rows == 0
    empty = list_partitions(snapshot(fields={"p": DATE}, by=("p",)))
    assert empty.num_rows == 0
    assert empty.schema.field("partition").type == pa.struct([("p", pa.date32())])


def test_partitions_of_several_columns_are_ordered_by_all():
    files = [
        file(f"{p}{q}", {"p": p, "q": q}) for p in ("2", "10") for q in ("2024-01-02", "2023-12-31")
    ]
    at = snapshot(*files, fields={"p": INTEGER, "q": DATE}, by=("p", "q"))

    found = [tuple(row["partition"].values()) for row in list_partitions(at).to_pylist()]

    old, new = date(2023, 12, 31), date(2024, 1, 2)
    assert found == [(2, old), (2, new), (10, old), (10, new)]


# -------------------------------------------------------------------------- statistics

STATS = {
    "numRecords": 4,
    "minValues": {"v": 1, "s": {"t": "a"}, "when": "2024-01-02T03:04:05.678Z"},
    "maxValues": {"v": 9, "s": {"t": "b"}, "when": "2024-01-02T03:04:06.000Z"},
    "nullCount": {"v": 0, "s": {"t": 2}, "when": 1},
}
NESTED: dict[str, DataType] = {
    "s": StructType((StructField("t", STRING),)),
    "when": TIMESTAMP,
    "unseen": STRING,
}


def test_statistics_have_a_row_a_file_and_column():
    at = snapshot(file("a", stats=STATS), file("b"), fields=NESTED)

    rows = list_stats(at).to_pylist()

    assert [(row["path"], row["column"], row["type"]) for row in rows] == [
        ("a", "v", "bigint"),
        ("a", "s.t", "string"),
        ("a", "when", "timestamp"),
    ]
    assert [(row["min"], row["max"], row["null_count"]) for row in rows] == [
        ("1", "9", 0),
        ("a", "b", 2),
        ("2024-01-02T03:04:05.678000Z", "2024-01-02T03:04:06.000000Z", 1),
    ]
    assert {(row["num_records"], row["tight_bounds"]) for row in rows} == {(4, True)}


@pytest.mark.parametrize("name", ["when", "WHEN", "`when`"])
def test_bounds_of_one_column_have_its_type(name):
    found = list_stats(snapshot(file("a", stats=STATS), fields=NESTED), name)

    assert found.schema.field("min").type == pa.timestamp("us", "UTC")
    (row,) = found.to_pylist()
    assert row["max"] == datetime(2024, 1, 2, 3, 4, 6, tzinfo=timezone.utc)


def test_statistics_of_nested_decimals_and_wide_bounds():
    kind = StructType((StructField("n", DecimalType(10, 2)),))
    told = {
        "numRecords": 1,
        "minValues": {"s": {"n": 1.5}},
        "maxValues": {"s": {"n": 2.25}},
        "tightBounds": False,
    }
    (row,) = list_stats(snapshot(file("a", stats=told), fields={"s": kind}), "s.n").to_pylist()

    assert (row["min"], row["max"], row["null_count"]) == (Decimal("1.50"), Decimal("2.25"), None)
    assert row["tight_bounds"] is False


def test_columns_without_order_tell_nulls_alone():
    fields: dict[str, DataType] = {"b": BINARY, "l": ArrayType(LONG), "x": UnknownType("future")}
    told = {"numRecords": 3, "nullCount": {"b": 1, "l": 2, "x": 3}}

    rows = list_stats(snapshot(file("a", stats=told), fields=fields)).to_pylist()

    assert [(row["column"], row["min"], row["null_count"]) for row in rows] == [
        ("b", None, 1),
        ("l", None, 2),
        ("x", None, 3),
    ]


def test_statistics_are_found_by_the_names_in_the_files_and_shown_by_those_of_users():
    field = StructField("a name", DOUBLE, metadata={PHYSICAL_NAME_KEY: "col-1"})
    told = {"numRecords": 1, "minValues": {"col-1": 0.5}, "maxValues": {"col-1": 1.0}}

    (row,) = list_stats(snapshot_of_schema(StructType((field,)), file("a", stats=told))).to_pylist()

    assert (row["column"], row["min"], row["max"]) == ("`a name`", "0.5", "1")


def test_partition_columns_and_structs_have_no_statistics_of_their_own():
    at = snapshot(file("a", {"p": "x"}, STATS), fields=NESTED | {"p": STRING}, by=("p",))

    assert "p" not in list_stats(at)["column"].to_pylist()
    for name in ("p", "s", "nowhere"):
        with pytest.raises(DeltaAnalysisError, match="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"):
            list_stats(at, name)


def test_table_without_files_or_columns_has_no_statistics():
    assert list_stats(snapshot()).num_rows == 0
    assert list_stats(snapshot_of_schema(StructType(()), file("a"))).num_rows == 0


# ------------------------------------------------------------------------- checkpoints


def with_checkpoint(form: CheckpointForm) -> MemoryStore:
    store = MemoryStore()
    create(store, *(add(f"f{number}", stats='{"numRecords":1}') for number in range(5)))
    commit(store, 1, remove("f0", when=5))
    write_checkpoint(TableLog(store).latest(), tombstones_since=0, form=form)
    return store


def test_classic_checkpoint():
    store = with_checkpoint(CheckpointForm())
    commit(store, 2, add("g"))

    (row,) = list_checkpoints(TableLog(store).latest()).to_pylist()

    assert {key: row[key] for key in ("version", "kind", "in_use", "parts", "sidecars")} == {
        "version": 1,
        "kind": "classic",
        "in_use": True,
        "parts": 1,
        "sidecars": 0,
    }
    # Protocol, metadata, four files and a tombstone.
    assert row["num_rows"] == 7
    assert row["size"] > 0
    assert row["modification_time"].tzinfo is not None


@pytest.mark.parametrize("top_level_format", ["json", "parquet"])
def test_v2_checkpoint_counts_its_sidecars(top_level_format):
    form = CheckpointForm(is_v2=True, rows_per_file=2, top_level_format=top_level_format)
    store = with_checkpoint(form)

    (row,) = list_checkpoints(TableLog(store).latest()).to_pylist()

    there = store.list_from("_delta_log/_sidecars")
    assert (row["kind"], row["parts"], row["sidecars"]) == ("v2", 1, len(there))
    assert row["size"] > sum(info.size for info in there)
    assert row["num_rows"] >= 7 + len(there)


def test_checkpoint_without_one_of_its_sidecars_does_not_tell_its_rows():
    store = with_checkpoint(CheckpointForm(is_v2=True, rows_per_file=2))
    store.delete([store.list_from("_delta_log/_sidecars")[0].name])

    (row,) = list_checkpoints(TableLog(store).latest()).to_pylist()

    assert row["num_rows"] is None


def test_multi_part_checkpoints_and_older_ones_are_listed_newest_first():
    store = with_checkpoint(CheckpointForm())
    commit(store, 2, add("g"))
    for part in (1, 2):
        store.put(checkpoint_part_name(2, part, 2), b"PAR1 damaged")
    store.put(checkpoint_part_name(1, 1, 2), b"a part of none")
    at = TableLog(store).at_version(1)

    assert list_checkpoints(at)["version"].to_pylist() == [1]
    commit(store, 3, add("h"))
    rows = list_checkpoints(TableLog(store).at_version(3)).to_pylist()
    assert [(row["version"], row["kind"], row["parts"]) for row in rows] == [
        (2, "multi-part", 2),
        (1, "classic", 1),
    ]
    assert rows[0]["num_rows"] is None


def test_log_without_checkpoints():
    found = list_checkpoints(snapshot(file("a")))

    assert found.num_rows == 0
    assert found.schema == CHECKPOINTS
