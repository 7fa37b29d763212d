"""Column names that Spark's reader keeps for itself."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.table.columns.schema_check import check_reserved


def columns(*names):
    return StructType(tuple(StructField(name, LONG, nullable=True) for name in names))


@pytest.mark.parametrize(
    "name", ["_tmp_metadata_row_index", "_TMP_metadata_row_index", "__puredelta_deleted"]
)
@pytest.mark.parametrize("before", [None, columns("id")])
def test_reserved_name_of_a_new_column_is_refused(name, before):
    with pytest.raises(DeltaAnalysisError, match=name) as caught:
        check_reserved(before, columns("id", name))

    assert caught.value.condition == "PUREDELTA_RESERVED_COLUMN_NAME"


def test_reserved_name_that_is_there_stays_and_nested_ones_are_free():
    inner = StructField("s", columns("_tmp_metadata_row_index"), nullable=True)

    check_reserved(columns("_tmp_metadata_row_index"), columns("_tmp_metadata_row_index", "a"))
    check_reserved(None, StructType((inner,)))
    check_reserved(None, columns("_metadata", "_change_type", "_row_id_", "_tmp_metadata_x"))
