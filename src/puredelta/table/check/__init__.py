"""Is a table whole? Its log, its files, their statistics and deletion vectors, without Spark.

>>> from puredelta.table.check import check_table
>>> check_table("/data/flights").findings  # doctest: +SKIP
()
"""

from puredelta.table.check.finding import Finding, Report, Severity
from puredelta.table.check.run import check_table

__all__ = ["Finding", "Report", "Severity", "check_table"]
