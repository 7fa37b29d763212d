"""PySpark of this process in the context of a JVM that another program started."""

import sys
from typing import Any

from pyspark import SparkConf
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from puredelta.engine.bridge.jvm_parts import SparkContext
from puredelta.errors.classes import DeltaRuntimeError


def join_context() -> None:
    """Connect to the JVM that the environment names, and make its context this process's.

    Raises:
        DeltaRuntimeError: PUREDELTA_SIDECAR_OTHER_SPARK.
    """
    # PySpark connects where PYSPARK_GATEWAY_PORT and PYSPARK_GATEWAY_SECRET are set.
    SparkContext._ensure_initialized()
    jvm: Any = SparkContext._jvm
    context = jvm.org.apache.spark.SparkContext.getOrCreate()
    if context.version() != pyspark_version:
        raise DeltaRuntimeError(
            "PUREDELTA_SIDECAR_OTHER_SPARK",
            python=sys.executable,
            pyspark=pyspark_version,
            spark=context.version(),
        )
    java_context = jvm.org.apache.spark.api.java.JavaSparkContext.fromSparkContext(context)
    conf = SparkConf(_jconf=java_context.getConf())
    joined = SparkContext(gateway=SparkContext._gateway, jsc=java_context, conf=conf)
    # PySpark makes the first session that it wraps the JVM's default: this one is that already.
    default = jvm.org.apache.spark.sql.classic.SparkSession.getDefaultSession()
    if default.isDefined():
        SparkSession(joined, default.get())
