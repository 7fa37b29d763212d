"""DeltaTable and its builders, under the module name that code for delta-spark imports."""

from puredelta.api.delta_table import DeltaTable, DeltaTableBuilder
from puredelta.api.merge_builder import DeltaMergeBuilder
from puredelta.api.table_builder import IdentityGenerator

__all__ = ["DeltaMergeBuilder", "DeltaTable", "DeltaTableBuilder", "IdentityGenerator"]
