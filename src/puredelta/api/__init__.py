"""What Python code calls: `DeltaTable`, its builders, and the results of its methods."""

from puredelta.api.delta_table import DeltaTable
from puredelta.api.merge_builder import DeltaMergeBuilder
from puredelta.api.methods.optimize_builder import DeltaOptimizeBuilder
from puredelta.api.results import (
    Appended,
    BadFile,
    ChangeExplained,
    ClonePreview,
    CommitOutcome,
    CommitStats,
    ConditionExplained,
    Conversion,
    Deduped,
    DryRun,
    FilesExplained,
    InspectedRows,
    Inspection,
    OptimizePreview,
    PartitionRewrite,
    Replaced,
    Scd2Result,
    Upserted,
    VacuumPreview,
    WritePreview,
)
from puredelta.api.table_builder import DeltaTableBuilder, IdentityGenerator

__all__ = [
    "Appended",
    "BadFile",
    "ChangeExplained",
    "ClonePreview",
    "CommitOutcome",
    "CommitStats",
    "ConditionExplained",
    "Conversion",
    "Deduped",
    "DeltaMergeBuilder",
    "DeltaOptimizeBuilder",
    "DeltaTable",
    "DeltaTableBuilder",
    "DryRun",
    "FilesExplained",
    "IdentityGenerator",
    "InspectedRows",
    "Inspection",
    "OptimizePreview",
    "PartitionRewrite",
    "Replaced",
    "Scd2Result",
    "Upserted",
    "VacuumPreview",
    "WritePreview",
]
