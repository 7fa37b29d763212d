"""SYNC IDENTITY: which columns can be synchronised."""

from types import SimpleNamespace

import pytest

from puredelta.commands.alter.sync_identity import SyncIdentity
from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import LONG, StructField, StructType

NUMBERED = StructField("id", LONG, metadata={"delta.identity.start": 1})
SCHEMA = StructType((NUMBERED, StructField("n", LONG), StructField("s", StructType(()))))


@pytest.mark.parametrize(
    ("column", "condition"),
    [
        ("ID", "DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA"),
        ("n", "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN"),
        ("s", "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN"),
        ("nope", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    ],
)
def test_statement_is_refused_for_the_right_reason(column, condition):
    with pytest.raises(DeltaAnalysisError, match=condition):
        SyncIdentity(table=None, column=(column,)).plan(None, SimpleNamespace(schema=SCHEMA))
