"""`df.explain()` shows which files of Delta tables are read, after Spark's own plan."""

import logging

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql.classic.dataframe import DataFrame

from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.bridge.patches import extend_explain
from puredelta.engine.dml.candidate_files import choices

logger = logging.getLogger(__name__)


def install() -> None:
    """Let `DataFrame.explain` show the files; done once in the life of a process."""
    extend_explain(_files_of)


def _files_of(frame: DataFrame) -> str:
    try:
        with unlogged():
            found = choices(frame)
    except (Py4JError, PySparkException):
        # Another extension made a plan that cannot be read here. Spark's own part was shown.
        logger.debug("the files of a plan are not shown", exc_info=True)
        return ""
    if not found:
        return ""
    return "\n".join(["== Delta Files ==", *map(str, found), "\n"])
