"""Identity values of a write: where they start, the marks that they leave, and lost ranges."""

from types import SimpleNamespace

import pytest
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.commands.rows import identity_ranges
from puredelta.commands.rows.identity_ranges import (
    NO_RANGES,
    IdentityAllocation,
    IdentityRange,
    IdentityRangeLostError,
    run_with_identity,
)
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.errors.classes import MetadataChangedError
from puredelta.log.actions import AddFile, Format, Metadata
from puredelta.schema.codec import schema_from_json
from puredelta.storage.memory import MemoryStore
from puredelta.table.expressions.identity_columns import identity_columns

START, STEP, MARK = (f"delta.identity.{key}" for key in ("start", "step", "highWaterMark"))
ID = StructField(
    "id", LongType(), True, {START: 1, STEP: 1, "delta.identity.allowExplicitInsert": False}
)
SCHEMA = StructType([ID, StructField("v", LongType())])
RANGES = {"id": IdentityRange(mark=100, last=110)}


def target():
    metadata = Metadata(
        id="t",
        format=Format(),
        schema_string=SCHEMA.json(),
        partition_columns=[],
        configuration={},
    )
    store = MemoryStore()
    for name in ("new", "copied"):
        store.put_if_absent(name, b"rows")
    return WriteTarget(
        context=None,
        table=None,
        before=SimpleNamespace(store=store),
        metadata=metadata,
        options=WriteOptions(),
    )


def written(name, bounds=None):
    file = AddFile(path=name, partition_values={}, size=1, modification_time=1, data_change=True)
    return WrittenFiles(files=(file,), empty=(), rows=1, bounds={} if bounds is None else bounds)


def mark(metadata):
    [column] = identity_columns(schema_from_json(metadata.schema_string))
    return column.mark


def lost():
    places = ("conflictingCommit", "docLink", "tableName", "winner")
    return MetadataChangedError("DELTA_METADATA_CHANGED", **dict.fromkeys(places, ""))


def names(table):
    return {file.name for file in table.before.store.list_from("")}


def test_values_start_after_the_mark_of_the_reserved_range():
    schema = IdentityAllocation.of(SCHEMA, RANGES).with_start(SCHEMA)

    assert schema["id"].metadata[MARK] == 100
    assert schema["v"] == SCHEMA["v"]
    assert IdentityAllocation.of(SCHEMA, NO_RANGES).with_start(SCHEMA) is SCHEMA


def test_own_commit_moves_the_mark_to_the_last_value():
    table = target()

    with IdentityAllocation.of(SCHEMA, NO_RANGES).commit_scope(
        table, written("new", {"id": (1, 7)}), can_repeat=True
    ) as metadata:
        assert mark(metadata) == 7


@pytest.mark.parametrize(
    ("fields", "files"),
    [([], written("new")), (SCHEMA, NOTHING_WRITTEN)],
    ids=["no identity column", "no rows"],
)
def test_write_without_values_leaves_metadata_alone(fields, files):
    table = target()

    with IdentityAllocation.of(fields, NO_RANGES).commit_scope(
        table, files, can_repeat=True
    ) as metadata:
        assert metadata == table.metadata


def test_reserved_values_move_no_mark():
    table = target()

    with IdentityAllocation.of(SCHEMA, RANGES).commit_scope(
        table, written("new", {"id": (101, 110)}), can_repeat=True
    ) as metadata:
        assert metadata == table.metadata


def test_range_that_is_too_small_is_asked_for_twice_as_large():
    table = target()
    scope = IdentityAllocation.of(SCHEMA, RANGES).commit_scope(
        table, written("new", {"id": (101, 120)}), written("copied"), can_repeat=True
    )

    with pytest.raises(IdentityRangeLostError) as caught, scope:
        pytest.fail("nothing is to be committed")

    assert caught.value.wanted == {"id": 40}
    assert names(table) == set()


def test_commit_after_the_mark_was_moved_elsewhere_is_repeated_without_its_files():
    table, error = target(), lost()
    scope = IdentityAllocation.of(SCHEMA, NO_RANGES).commit_scope(
        table, written("new", {"id": (1, 7)}), written("copied"), can_repeat=True
    )

    with pytest.raises(IdentityRangeLostError) as caught, scope:
        raise error

    assert (caught.value.wanted, caught.value.lost) == ({"id": 7}, error)
    assert names(table) == set()


@pytest.mark.parametrize(
    ("files", "can_repeat"), [(written("new", {"id": (1, 7)}), False), (NOTHING_WRITTEN, True)]
)
def test_other_changes_of_metadata_stop_the_write(files, can_repeat):
    table = target()
    scope = IdentityAllocation.of(SCHEMA, NO_RANGES).commit_scope(
        table, files, can_repeat=can_repeat
    )

    with pytest.raises(MetadataChangedError), scope:
        raise lost()

    assert names(table) == {"new", "copied"}


def test_write_that_loses_its_range_runs_again_with_another(monkeypatch):
    attempts = []

    def attempt(before, ranges):
        attempts.append((before.metadata, ranges))
        if len(attempts) < 3:
            raise IdentityRangeLostError({"id": len(attempts)})
        return "done"

    def reserve(context, table, expected, taken):
        assert (context, table) == ("context", "table")
        count = taken.wanted["id"]
        return SimpleNamespace(metadata=f"{expected}+"), {"id": IdentityRange(0, count)}

    monkeypatch.setattr(identity_ranges, "reserve", reserve)

    before = SimpleNamespace(metadata="m")
    assert run_with_identity("context", "table", before, attempt) == "done"
    assert attempts == [
        ("m", NO_RANGES),
        ("m+", {"id": IdentityRange(0, 1)}),
        ("m++", {"id": IdentityRange(0, 2)}),
    ]
