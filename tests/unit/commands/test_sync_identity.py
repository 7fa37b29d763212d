"""SYNC IDENTITY: which columns could be synchronised, and that none is."""

from types import SimpleNamespace

import pytest

from puredelta.commands.alter_table.sync_identity import SyncIdentity
from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import LONG, StructField, StructType

SCHEMA = StructType(
    (StructField("id", LONG, metadata={"delta.identity.start": 1}), StructField("n", LONG))
)


@pytest.mark.parametrize(
    ("column", "condition"),
    [
        ("ID", "DELTA_OPERATION_NOT_ALLOWED"),
        ("n", "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN"),
        ("nope", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    ],
)
def test_statement_is_refused_for_the_right_reason(column, condition):
    latest = SimpleNamespace(schema=SCHEMA)
    table = SimpleNamespace(log=lambda: SimpleNamespace(latest=lambda: latest))

    with pytest.raises(DeltaAnalysisError, match=condition):
        SyncIdentity(table=table, column=(column,)).run()
