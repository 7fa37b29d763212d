"""ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY: is the column one that could be synchronised?"""

from dataclasses import dataclass
from typing import NoReturn

from puredelta.commands.table_ref import TableRef
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.changes import Path, find_column
from puredelta.table.feature_use import IDENTITY_PREFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncIdentity:
    """SYNC IDENTITY. Tables with identity columns are not written, so it is always refused.

    Attributes:
        table: the table.
        column: the path of the column, in any case of letters.
    """

    table: TableRef
    column: Path

    def run(self) -> NoReturn:
        """Refuse the statement.

        Raises:
            DeltaAnalysisError: DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN for any other
                column, DELTA_OPERATION_NOT_ALLOWED for an identity column,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
        """
        field = find_column(self.table.log().latest().schema, self.column).field
        if not any(key.startswith(IDENTITY_PREFIX) for key in field.metadata):
            raise DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN")
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED", operation="ALTER COLUMN ... SYNC IDENTITY"
        )
