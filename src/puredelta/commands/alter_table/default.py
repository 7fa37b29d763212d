"""ALTER TABLE ... ALTER COLUMN ... SET DEFAULT and DROP DEFAULT."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from puredelta.commands.alter_table.commits import Change, commit_change
from puredelta.commands.table_ref import TableRef
from puredelta.engine.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructField, StructType
from puredelta.table.column_mapping import Path, unmapped_schema
from puredelta.table.defaults import check_allowed, with_default
from puredelta.table.protocol import check_writable, features_of
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDefaults:
    """SET DEFAULT and DROP DEFAULT of one or several columns.

    Attributes:
        table: the table.
        defaults: the new default of each column, by its path, in SQL; None for none.
    """

    table: TableRef
    defaults: Mapping[Path, str | None]

    def run(self, context: Context) -> Snapshot:
        """Change the defaults in one commit; rows that are there keep what they have.

        Raises:
            DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA,
                WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED.
        """
        before = self.table.log().latest()
        schema, shown = before.schema, []
        for path, text in self.defaults.items():
            schema, changed = _changed(schema, path, text)
            shown.append(_shown(changed, path))
        check_allowed(schema, features_of(before.protocol), "ALTER TABLE")
        check_writable(before.protocol, before.metadata, self.table.label)
        metadata = msgspec.structs.replace(before.metadata, schema_string=schema_to_json(schema))
        change = Change(operation=_operation(shown), metadata=metadata, is_blind=True)
        return commit_change(context, self.table, before, change)


def _changed(schema: StructType, path: Path, text: str | None) -> tuple[StructType, StructField]:
    """Return a schema with another default for a field, and the field as it is then."""
    name, *below = path
    field = schema.field(name)
    if field is None or (below and not isinstance(field.data_type, StructType)):
        raise DeltaAnalysisError(
            "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
            columnName=".".join(path),
            tableSchema=", ".join(schema.names),
        )
    if below and isinstance(field.data_type, StructType):
        inner, changed = _changed(field.data_type, tuple(below), text)
        outer = replace(field, data_type=inner)
    else:
        outer = changed = with_default(field, text)
    fields = (outer if part is field else part for part in schema)
    return StructType(tuple(fields)), changed


def _shown(field: StructField, path: Path) -> dict[str, object]:
    """Return a column as history shows it: by its path, of a nested type only the kind."""
    [told] = json.loads(schema_to_json(unmapped_schema(StructType((field,)))))["fields"]
    kind = told["type"]["type"] if isinstance(told["type"], dict) else told["type"]
    return {**told, "name": ".".join(path), "type": kind}


def _operation(shown: list[dict[str, object]]) -> Operation:
    if len(shown) == 1:
        return Operation("CHANGE COLUMN", {"column": shown[0]})
    return Operation("CHANGE COLUMNS", {"columns": shown[::-1]})
