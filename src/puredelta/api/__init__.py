"""What Python code calls: `DeltaTable`, its builders, and the results of its methods."""

from puredelta.api.delta_table import DeltaTable
from puredelta.api.merge_builder import DeltaMergeBuilder
from puredelta.api.results import (
    Appended,
    BadFile,
    ChangeExplained,
    CommitOutcome,
    CommitStats,
    ConditionExplained,
    Conversion,
    Deduped,
    DryRun,
    FilesExplained,
    HealthFinding,
    InspectedRows,
    Inspection,
    Replaced,
    RestoredProperty,
    RestorePreview,
    Scd2Result,
    TableHealth,
    Upserted,
    WritePreview,
)
from puredelta.api.table_builder import DeltaTableBuilder, IdentityGenerator

__all__ = [
    "Appended",
    "BadFile",
    "ChangeExplained",
    "CommitOutcome",
    "CommitStats",
    "ConditionExplained",
    "Conversion",
    "Deduped",
    "DeltaMergeBuilder",
    "DeltaTable",
    "DeltaTableBuilder",
    "DryRun",
    "FilesExplained",
    "HealthFinding",
    "IdentityGenerator",
    "InspectedRows",
    "Inspection",
    "Replaced",
    "RestorePreview",
    "RestoredProperty",
    "Scd2Result",
    "TableHealth",
    "Upserted",
    "WritePreview",
]
