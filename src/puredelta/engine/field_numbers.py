"""Columns that files know by numbers: Spark's row-by-row reader asks the session if they count."""

from collections.abc import Mapping

from puredelta.engine.spark import active_session
from puredelta.table.column_mapping import MappingMode, mapping_mode

_BY_NUMBER = "spark.sql.parquet.fieldId.read.enabled"


def let_numbers_count(configuration: Mapping[str, str]) -> None:
    """Let the session find columns by their numbers, if a table's files do.

    A query takes the settings along with which it begins: when it is planned is too late.

    Args:
        configuration: the properties of the table.
    """
    if mapping_mode(configuration) is MappingMode.ID:
        active_session()._jsparkSession.conf().set(_BY_NUMBER, "true")
