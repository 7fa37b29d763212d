"""What PySpark and py4j have for a JVM, with stand-ins where only a client of Spark Connect is.

The distribution `pyspark-client` has the package `pyspark` without these parts, and no py4j. All
other modules import them from here, so that `DeltaTable` is there in such a client, too.
"""

from typing import TYPE_CHECKING

from pyspark.util import is_remote_only

if TYPE_CHECKING or not is_remote_only():
    from py4j.clientserver import SHUTDOWN_FINALIZER_WORKER
    from py4j.java_gateway import JavaClass, JavaObject
    from py4j.protocol import (
        ENTRY_POINT_OBJECT_ID,
        GATEWAY_SERVER_OBJECT_ID,
        METHOD_TYPE,
        OUTPUT_CONVERTER,
        REFLECTION_COMMAND_NAME,
        SUCCESS,
        SUCCESS_CLASS,
        Py4JError,
        Py4JJavaError,
        get_command_part,
    )
    from pyspark import SparkContext
    from pyspark.java_gateway import ensure_callback_server_started
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame
else:
    from puredelta.engine.bridge.no_jvm import (
        ENTRY_POINT_OBJECT_ID,
        GATEWAY_SERVER_OBJECT_ID,
        METHOD_TYPE,
        OUTPUT_CONVERTER,
        REFLECTION_COMMAND_NAME,
        SHUTDOWN_FINALIZER_WORKER,
        SUCCESS,
        SUCCESS_CLASS,
        ClassicDataFrame,
        JavaClass,
        JavaObject,
        Py4JError,
        Py4JJavaError,
        SparkContext,
        ensure_callback_server_started,
        get_command_part,
    )

__all__ = [
    "ENTRY_POINT_OBJECT_ID",
    "GATEWAY_SERVER_OBJECT_ID",
    "METHOD_TYPE",
    "OUTPUT_CONVERTER",
    "REFLECTION_COMMAND_NAME",
    "SHUTDOWN_FINALIZER_WORKER",
    "SUCCESS",
    "SUCCESS_CLASS",
    "ClassicDataFrame",
    "JavaClass",
    "JavaObject",
    "Py4JError",
    "Py4JJavaError",
    "SparkContext",
    "ensure_callback_server_started",
    "get_command_part",
]
