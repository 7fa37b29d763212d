"""An entry of the catalog that says Parquet, where a Delta table lies: the two become one."""

from dataclasses import replace

from puredelta.commands.alter.commit import commit_change
from puredelta.commands.alter.properties import SetProperties
from puredelta.commands.table_ref import TableRef
from puredelta.conversion.source_table import ConvertTarget
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.settings import SETTINGS
from puredelta.txn.commit_info import Operation


def merge_properties(
    context: Context, target: ConvertTarget, before: Snapshot, operation: Operation
) -> None:
    """Give a Delta table the properties that its entry in the catalog has.

    Args:
        context: the session.
        target: what the entry says.
        before: the Delta table as it is.
        operation: what history shows.

    Raises:
        DeltaAnalysisError: DELTA_CONVERT_METASTORE_METADATA_MISMATCH where both have a property,
            with another value each, unless the session lets the catalog's count; and what
            `SetProperties` raises.
    """
    asked, found = target.properties, before.configuration
    if context.settings.convert.metadata_check and _contradict(target, before):
        raise DeltaAnalysisError(
            "DELTA_CONVERT_METASTORE_METADATA_MISMATCH",
            tableProperties=dict(asked),
            configuration=dict(found),
            metadataCheckSqlConf=SETTINGS["metadata_check"].key,
        )
    other = {key: value for key, value in asked.items() if found.get(key) != value}
    if other:
        table = TableRef(root=target.location, name=target.label)
        change = SetProperties(table=table, properties=other).plan(context, before)
        commit_change(context, table, before, replace(change, operation=operation))


def _contradict(target: ConvertTarget, before: Snapshot) -> bool:
    found = before.configuration
    return any(found.get(key, value) != value for key, value in target.properties.items())
