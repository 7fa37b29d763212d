"""What `puredelta doctor` reports: versions, cache, object stores, problems and remedies."""

import platform
import re
import sys
from pathlib import Path
from typing import Any

from puredelta.engine.bridge import environment

# URL schemes, the artifact that lets Spark's executors read them (a Hadoop module must match the
# Hadoop of Spark), and how its JAR is named.
_STORES = (
    ("s3", "org.apache.hadoop:hadoop-aws:{hadoop}", re.compile(r"hadoop-aws-")),
    ("az, abfss", "org.apache.hadoop:hadoop-azure:{hadoop}", re.compile(r"hadoop-azure-\d")),
    (
        "gs",
        "com.google.cloud.bigdataoss:gcs-connector:hadoop3-2.2.26",
        re.compile(r"gcs-connector-"),
    ),
)


def examine() -> dict[str, Any]:
    """Gather the report, in values that JSON can express."""
    return {
        "versions": _versions(),
        "cache": _cache(),
        "objectStores": _object_stores(),
        "problems": [
            {
                "condition": problem.condition,
                "problem": problem.text,
                "remedy": problem.remedy,
                "fatal": problem.fatal,
            }
            for problem in environment.check_environment()
        ],
    }


def _versions() -> dict[str, str | None]:
    java = environment.find_java()
    home = environment.spark_home()
    return {
        "puredelta": environment.distribution_version("puredelta"),
        "Python": f"{platform.python_version()} ({sys.executable})",
        "PySpark": environment.pyspark_version(),
        "Spark home": str(home) if home else None,
        "Java": f"{java.version} ({java.path})" if java else None,
        "Arrow": environment.distribution_version("pyarrow"),
    }


def _cache() -> dict[str, Any]:
    folder = environment.cache_folder()
    jars = sorted(folder.rglob("*.jar"))
    return {
        "folder": str(folder),
        "usable": environment.why_cache_is_unusable(folder) is None,
        "jars": [str(jar.relative_to(folder)) for jar in jars],
        "bytes": sum(jar.stat().st_size for jar in jars),
    }


def _object_stores() -> list[dict[str, Any]]:
    """Say for each store whether Spark has its Hadoop module; the log itself needs only obstore."""
    jars = [jar.name for jar in environment.spark_jars()]
    packages = environment.spark_defaults().get("spark.jars.packages", "")
    return [
        {
            "schemes": schemes,
            "log": environment.distribution_version("obstore") is not None,
            # Spark fetches packages when a session starts, so a configured one counts as well.
            "spark": any(jar.match(name) for name in jars) or package.split(":")[1] in packages,
            "package": package.format(hadoop=_hadoop_version(jars)),
        }
        for schemes, package, jar in _STORES
    ]


def _hadoop_version(jars: list[str]) -> str:
    found = (re.fullmatch(r"hadoop-client-api-(.+)\.jar", Path(name).name) for name in jars)
    # Without the JARs of a Spark, a recent Hadoop stands in.
    return next((match[1] for match in found if match), "3.4.1")
