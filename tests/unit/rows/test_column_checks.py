"""Schemas whose columns cannot be told apart are refused before a row is read."""

import msgspec
import pytest

from puredelta.errors import DeltaAnalysisError, DeltaError, DeltaIllegalStateError
from puredelta.log.table_log import TableLog
from puredelta.rows.column_checks import check_columns
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, ArrayType, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.columns.column_mapping import ID_KEY
from tests.unit.log.logs import METADATA, create

_NAME_KEY = "delta.columnMapping.physicalName"


def checked(*fields, partitions=(), mode="none") -> None:
    store = MemoryStore()
    metadata = msgspec.structs.replace(
        METADATA,
        schema_string=schema_to_json(StructType(fields)),
        partition_columns=list(partitions),
        configuration={"delta.columnMapping.mode": mode},
    )
    create(store, table=metadata)
    check_columns(TableLog(store).latest())


def mapped(name, physical, number):
    return StructField(name, LONG, metadata={_NAME_KEY: physical, ID_KEY: number})


def test_names_that_repeat_are_refused_at_any_depth():
    twice = StructType((StructField("a", LONG), StructField("A", LONG)))

    for fields in (tuple(twice), (StructField("s", ArrayType(twice)),)):
        with pytest.raises(DeltaAnalysisError) as caught:
            checked(*fields)
        assert caught.value.condition == "DELTA_DUPLICATE_COLUMNS_FOUND"


@pytest.mark.parametrize("name", ["nothing", "A"])
def test_partition_column_that_is_none_is_refused(name):
    with pytest.raises(DeltaAnalysisError) as caught:
        checked(StructField("a", LONG), partitions=[name])
    assert caught.value.condition == "DELTA_PARTITION_COLUMN_NOT_FOUND"


@pytest.mark.parametrize("second", [("x", 2), ("y", 1)])
def test_mapping_that_repeats_is_refused(second):
    with pytest.raises(DeltaIllegalStateError) as caught:
        checked(mapped("a", "x", 1), mapped("b", *second), mode="name")
    assert caught.value.condition == "DELTA_SCHEMA_MALFORMED"


def test_sound_columns_pass():
    try:
        checked(mapped("a", "x", 1), mapped("b", "y", 2), partitions=["b"], mode="id")
    except DeltaError as error:
        raise AssertionError from error
