"""What a session committed last."""

from __future__ import annotations

from pyspark.sql import SparkSession

from puredelta.api.connect.client import ask_last_commit, is_connect
from puredelta.commands.commit_report import CommitReport, read_last_commit
from puredelta.engine.exceptions import shown


def last_commit(session: SparkSession | None = None) -> CommitReport | None:
    """Return what a session committed last, by a statement or by a write of a DataFrame.

    What a statement leads to counts, too: after a write with auto compaction it may be OPTIMIZE.

    Args:
        session: the session; by default the active one.

    Returns:
        The commit; None before the first one.

    Raises:
        DeltaRuntimeException: DELTA_COMMITTED_AND_NOT_READ: its file in the log is not readable
            any more.

    Examples:
        >>> df.write.format("delta").save("/data/people")  # doctest: +SKIP
        >>> print(puredelta.last_commit())  # doctest: +SKIP
        WRITE on delta.`/data/people`: version 0
          rows: 3 written
          files: 1 added (1.2 kB)
    """
    chosen = session or SparkSession.active()
    if is_connect(chosen):
        return ask_last_commit(chosen)
    with shown():
        return read_last_commit(chosen)
