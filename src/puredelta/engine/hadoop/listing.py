"""The files below many folders, listed by executors where a store is asked folder by folder."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from operator import attrgetter

from pyspark.sql import SparkSession

from puredelta.engine.bridge.classes import scala_object, static_method
from puredelta.engine.bridge.handles import sequence
from puredelta.engine.hadoop.files import HadoopFiles
from puredelta.engine.session.paths import hadoop_conf
from puredelta.engine.session.sessions import setting
from puredelta.storage.store import ObjectInfo

FOLDERS_A_JOB = 512
"""What is in so many folders is in the driver's memory at a time."""

_LISTING = "org.apache.spark.util.HadoopFSUtils"
_METHOD, _PARAMETERS_BEFORE = "parallelListLeafFiles", 8
_THRESHOLD = "spark.sql.sources.parallelPartitionDiscovery.threshold"
_PARALLELISM = "spark.sql.sources.parallelPartitionDiscovery.parallelism"


def walked_by_jobs(
    session: SparkSession, files: HadoopFiles, enters: Callable[[str], bool]
) -> Iterator[ObjectInfo] | None:
    """Yield the files at any depth, folder after folder of the first level.

    Args:
        session: runs the jobs.
        files: the folder.
        enters: says of the name of a folder whether it is entered.

    Returns:
        The files; None for so few folders that Spark would not run a job, either.
    """
    direct, folders = files.entries("")
    entered = sorted(name for name in folders if enters(name))
    if len(entered) <= int(setting(session, _THRESHOLD, "32") or 0):
        return None
    return _walked(session, files, sorted(direct, key=attrgetter("name")), entered, enters)


def _walked(
    session: SparkSession,
    files: HadoopFiles,
    direct: Sequence[ObjectInfo],
    folders: Sequence[str],
    enters: Callable[[str], bool],
) -> Iterator[ObjectInfo]:
    yield from direct
    rest = iter(folders)
    while some := list(islice(rest, FOLDERS_A_JOB)):
        for info in _listed(session, files, some):
            # Spark lists all depths; only the folders of the first level were chosen before.
            if all(enters(above) for above in _above(info.name)):
                yield info


def _listed(session: SparkSession, files: HadoopFiles, folders: Sequence[str]) -> list[ObjectInfo]:
    paths = sequence(files.path(name) for name in folders)
    most = int(setting(session, _PARALLELISM, "10000") or 1)
    context, conf = session.sparkContext._jsc.sc(), hadoop_conf(session)
    # From Spark 4.3 on it takes a pattern of names to leave out. This one matches none: hidden
    # folders are left out by `enters`, on all versions alike.
    hides = [static_method("java.util.regex.Pattern", "compile")("(?!)")] if _hides() else []
    with files.failures("list", folders[0]):
        listing = scala_object(_LISTING).parallelListLeafFiles(
            context, paths, conf, None, False, *hides, True, 0, most
        )
    return sorted(files.printed(listing), key=attrgetter("name"))


@cache
def _hides() -> bool:
    """Return whether Spark's listing takes a pattern of names to leave out."""
    methods = scala_object(_LISTING).getClass().getMethods()
    counts = [method.getParameterCount() for method in methods if method.getName() == _METHOD]
    return _PARAMETERS_BEFORE not in counts


def _above(name: str) -> Iterator[str]:
    """Yield the folders that a file is in, the outermost first."""
    parts = name.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[:count])
