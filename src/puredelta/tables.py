"""DeltaTable and its builders, under the module name that code for delta-spark imports."""

from puredelta.api import DeltaMergeBuilder, DeltaTable, DeltaTableBuilder, IdentityGenerator

__all__ = ["DeltaMergeBuilder", "DeltaTable", "DeltaTableBuilder", "IdentityGenerator"]
