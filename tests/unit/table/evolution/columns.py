"""Columns and rules for the tests of matching and merging."""

from puredelta.schema.datatypes import DataType, StructField, StructType
from puredelta.table.evolution.matching_rules import MatchingRules


def struct(**fields: DataType | StructField) -> StructType:
    """Name types; a field keeps its own name, so that names may repeat."""
    return StructType(
        tuple(
            given if isinstance(given, StructField) else StructField(name, given)
            for name, given in fields.items()
        )
    )


def required(name: str, data_type: DataType, **metadata: object) -> StructField:
    """Return a column that refuses nulls."""
    return StructField(name, data_type, nullable=False, metadata=metadata)


def rules(**given: object) -> MatchingRules:
    """Return the rules of `df.write.insertInto`-like writes by name, with some others."""
    return MatchingRules(
        **{"table": "t", "by_name": True, "evolve": False, "same_types": False, **given}
    )
