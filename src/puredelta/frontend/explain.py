"""`df.explain()` shows which files of Delta tables are read, after Spark's own plan."""

import logging

from pyspark.errors import PySparkException

from puredelta.engine.bridge.deferred import deferred
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.bridge.jvm_parts import ClassicDataFrame, Py4JError
from puredelta.engine.bridge.patches import extend_explain
from puredelta.engine.dml.candidate_files import choices

logger = logging.getLogger(__name__)


def install() -> None:
    """Let `DataFrame.explain` show the files; done once in the life of a process."""
    extend_explain(_files_of)


def _files_of(frame: ClassicDataFrame) -> str:
    try:
        with unlogged(), deferred():
            found = choices(frame)
    except (Py4JError, PySparkException):
        # Another extension made a plan that cannot be read here. Spark's own part was shown.
        logger.debug("the files of a plan are not shown", exc_info=True)
        return ""
    if not found:
        return ""
    return "\n".join(["== Delta Files ==", *map(str, found), "\n"])
