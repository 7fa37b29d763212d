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
        BOOLEAN_TYPE,
        CALL_COMMAND_NAME,
        CONSTRUCTOR_COMMAND_NAME,
        ENTRY_POINT_OBJECT_ID,
        GATEWAY_SERVER_OBJECT_ID,
        LIST_TYPE,
        MAP_TYPE,
        MEMORY_COMMAND_NAME,
        METHOD_TYPE,
        NULL_TYPE,
        OUTPUT_CONVERTER,
        REFERENCE_TYPE,
        REFLECTION_COMMAND_NAME,
        STATIC_PREFIX,
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
        BOOLEAN_TYPE,
        CALL_COMMAND_NAME,
        CONSTRUCTOR_COMMAND_NAME,
        ENTRY_POINT_OBJECT_ID,
        GATEWAY_SERVER_OBJECT_ID,
        LIST_TYPE,
        MAP_TYPE,
        MEMORY_COMMAND_NAME,
        METHOD_TYPE,
        NULL_TYPE,
        OUTPUT_CONVERTER,
        REFERENCE_TYPE,
        REFLECTION_COMMAND_NAME,
        SHUTDOWN_FINALIZER_WORKER,
        STATIC_PREFIX,
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
    "BOOLEAN_TYPE",
    "CALL_COMMAND_NAME",
    "CONSTRUCTOR_COMMAND_NAME",
    "ENTRY_POINT_OBJECT_ID",
    "GATEWAY_SERVER_OBJECT_ID",
    "LIST_TYPE",
    "MAP_TYPE",
    "MEMORY_COMMAND_NAME",
    "METHOD_TYPE",
    "NULL_TYPE",
    "OUTPUT_CONVERTER",
    "REFERENCE_TYPE",
    "REFLECTION_COMMAND_NAME",
    "SHUTDOWN_FINALIZER_WORKER",
    "STATIC_PREFIX",
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
