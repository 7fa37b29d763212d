"""What tests of Delta tables need: comparisons, histories, faults; the plugin of pytest uses it.

Importing this loads no PySpark: what a test does with a table on disk needs none.
"""

from puredelta.testing.comparison import assert_table_equal
from puredelta.testing.faults import conflicting_commit, failed_commit, lost_reply
from puredelta.testing.history import CommitSummary, assert_history, history_of
from puredelta.testing.table_rows import TableLike

__all__ = [
    "CommitSummary",
    "TableLike",
    "assert_history",
    "assert_table_equal",
    "conflicting_commit",
    "failed_commit",
    "history_of",
    "lost_reply",
]
