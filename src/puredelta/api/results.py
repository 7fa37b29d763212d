"""What the methods of `DeltaTable` return, in one place; `puredelta.api` offers each of them."""

from puredelta.api.dry_run import DryRun
from puredelta.api.explain_change import ChangeExplained
from puredelta.api.explain_files import ConditionExplained, FilesExplained
from puredelta.api.inspection import InspectedRows, Inspection
from puredelta.api.replace_where import Replaced
from puredelta.api.statement_result import StatementResult
from puredelta.commands.commit_report import CommitReport
from puredelta.commands.commit_stats import CommitOutcome, CommitStats
from puredelta.commands.keyed.append_new import Appended
from puredelta.commands.keyed.dedupe import Deduped
from puredelta.commands.keyed.scd2 import Scd2Result
from puredelta.commands.keyed.upsert import Upserted
from puredelta.commands.write.preview import WritePreview
from puredelta.conversion.report import Conversion
from puredelta.conversion.source_file import BadFile
from puredelta.maintenance.clone.report import ClonePreview
from puredelta.maintenance.health.finding import HealthFinding
from puredelta.maintenance.health.report import TableHealth
from puredelta.maintenance.restore_preview import RestoredProperty, RestorePreview
from puredelta.maintenance.rewrite_preview import OptimizePreview, PartitionRewrite
from puredelta.maintenance.vacuum.preview import VacuumPreview
from puredelta.streaming.explain import BatchExplained, StopExplained, StreamExplained

__all__ = [
    "Appended",
    "BadFile",
    "BatchExplained",
    "ChangeExplained",
    "ClonePreview",
    "CommitOutcome",
    "CommitReport",
    "CommitStats",
    "ConditionExplained",
    "Conversion",
    "Deduped",
    "DryRun",
    "FilesExplained",
    "HealthFinding",
    "InspectedRows",
    "Inspection",
    "OptimizePreview",
    "PartitionRewrite",
    "Replaced",
    "RestorePreview",
    "RestoredProperty",
    "Scd2Result",
    "StatementResult",
    "StopExplained",
    "StreamExplained",
    "TableHealth",
    "Upserted",
    "VacuumPreview",
    "WritePreview",
]
