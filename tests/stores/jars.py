"""JARs that `make test-stores` fetches into the user's cache, for the Hadoop of this PySpark."""

from pathlib import Path

from puredelta.engine.bridge.environment import cache_folder, spark_jars

# Spark has these in other versions.
_OF_SPARK = ("slf4j-", "commons-", "netty-b", "netty-c", "netty-h", "netty-r", "netty-t")
_OF_HADOOP = ("hadoop-client-", "slf4j-api", "jcl-over", "log4j", "jakarta.", "javax.", "commons-")


def fetched(name: str) -> tuple[list[Path], str]:
    """Return the JARs of that name; when there are none, say what to do."""
    folder = cache_folder() / f"{name}-{_hadoop_version()}"
    found = sorted(folder.glob("*.jar"))
    return found, "" if found else f"no JARs in {folder}: `make test-stores` fetches them"


def for_s3a() -> tuple[list[Path], str]:
    """Return what a Spark session needs to reach S3."""
    found, why = fetched("s3a")
    return [jar for jar in found if not jar.name.startswith(_OF_SPARK)], why


def for_hdfs() -> tuple[list[Path], str]:
    """Return what a small HDFS needs."""
    found, why = fetched("hdfs")
    if not found:
        return [], why
    return [*found, *(jar for jar in spark_jars() if jar.name.startswith(_OF_HADOOP))], ""


def _hadoop_version() -> str:
    names = (jar.stem for jar in spark_jars() if jar.name.startswith("hadoop-client-api-"))
    return next(names, "none").removeprefix("hadoop-client-api-")
