"""JVM objects of Spark as PySpark's: sessions, DataFrames, columns, paths."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark import SparkContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructType

_sessions: dict[str, SparkSession] = {}


def session_of(jvm_session: Any) -> SparkSession:
    """Return the PySpark session of a JVM session, the same one each time."""
    uuid = jvm_session.sessionUUID()
    known = _sessions.get(uuid)
    if known is None or known.sparkContext._jsc is None:
        context = SparkContext._active_spark_context
        assert context is not None  # a JVM session lives in one  # noqa: S101
        known = _sessions[uuid] = SparkSession(context, jvm_session)
    return known


def forget_stopped_sessions() -> None:
    """Drop sessions whose context was stopped."""
    for uuid in [u for u, s in _sessions.items() if s.sparkContext._jsc is None]:
        del _sessions[uuid]


def jvm_of(session: SparkSession) -> Any:
    """Return the session's JVM."""
    return session.sparkContext._jvm


def frame_of_plan(session: SparkSession, plan: Any) -> DataFrame:
    """Return the DataFrame of a logical plan."""
    dataset = jvm_of(session).org.apache.spark.sql.classic.Dataset
    return DataFrame(dataset.ofRows(session._jsparkSession, plan), session)


def frame_of_rows(
    session: SparkSession, rows: Iterable[Mapping[str, Any]], schema: StructType
) -> DataFrame:
    """Return rows as a DataFrame that needs no Spark job to be shown or collected.

    Args:
        session: where the DataFrame lives.
        rows: values that JSON has; timestamps as ISO texts.
        schema: the types to give them.
    """
    jvm = jvm_of(session)
    lines = [json.dumps(row) for row in rows]
    texts = session._jsparkSession.createDataset(lines, jvm.org.apache.spark.sql.Encoders.STRING())
    frame = DataFrame(texts.toDF(), session)
    return frame.select(F.from_json("value", schema, {"mode": "FAILFAST"}).alias("r")).select("r.*")


def column_of(session: SparkSession, expression: Any) -> Column:
    """Return a Catalyst expression as a Column."""
    return Column(_expression_utils(session).column(expression))


def expression_of(session: SparkSession, column: Column) -> Any:
    """Return the Catalyst expression of a Column."""
    return _expression_utils(session).expression(column._jc)


def hadoop_path(session: SparkSession, path: str) -> str:
    """Return a path as Hadoop names it, with the scheme of the default file system if it has none.

    `/tmp/t` becomes `file:/tmp/t` on a plain session.
    """
    jvm = jvm_of(session)
    parsed = jvm.org.apache.hadoop.fs.Path(path)
    conf = session._jsparkSession.sessionState().newHadoopConf()
    return str(parsed.getFileSystem(conf).makeQualified(parsed).toString())


def setting(session: SparkSession, key: str, default: str | None = None) -> str | None:
    """Return a setting of the session, Spark's own default where it has one."""
    value: str | None = session._jsparkSession.sessionState().conf().getConfString(key, default)
    return value


def _expression_utils(session: SparkSession) -> Any:
    return jvm_of(session).org.apache.spark.sql.classic.ExpressionUtils


def reads_table(frame: DataFrame, root: str) -> bool:
    """Say whether a DataFrame's query reads a table, also in a subquery.

    Args:
        frame: the query.
        root: the table's folder, as Hadoop names it.
    """
    files = jvm_of(frame.sparkSession).puredelta.TableFiles
    return bool(files.readBy(frame._jdf.queryExecution().analyzed(), root))


def has_entries(session: SparkSession, root: str) -> bool:
    """Say whether a folder is there and holds anything."""
    path = jvm_of(session).org.apache.hadoop.fs.Path(root)
    files = path.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
    return bool(files.exists(path)) and len(files.listStatus(path)) > 0


def timestamp_micros(session: SparkSession, text: str) -> int | None:
    """Return microseconds since 1970 for a timestamp in the session's zone; None if it is none."""
    jvm = jvm_of(session)
    expressions = jvm.org.apache.spark.sql.catalyst.expressions
    literal = getattr(getattr(expressions, "Literal$"), "MODULE$").apply(text)
    zone = jvm.scala.Some(setting(session, "spark.sql.session.timeZone", "UTC"))
    kind = session._jsparkSession.parseDataType('"timestamp"')
    cast = getattr(getattr(expressions, "Cast$"), "MODULE$").apply(literal, kind, zone, False)
    value = cast.eval(None)
    return None if value is None else int(value)


def active_session() -> SparkSession:
    """Return the session that the calling statement runs in."""
    context = SparkContext._active_spark_context
    assert context is not None and context._jvm is not None  # noqa: S101, PT018
    return session_of(context._jvm.org.apache.spark.sql.classic.SparkSession.active())


def path_exists(session: SparkSession, root: str) -> bool:
    """Say whether there is anything at a path."""
    path = jvm_of(session).org.apache.hadoop.fs.Path(root)
    conf = session._jsparkSession.sessionState().newHadoopConf()
    return bool(path.getFileSystem(conf).exists(path))


def unqualified_sql(expression: Any) -> str:
    """Return a resolved condition in SQL, its columns without the table's name in front."""
    text = str(expression.sql())
    columns = expression.references().iterator()
    while columns.hasNext():
        column = columns.next()
        plain = column.withQualifier(column.qualifier().take(0))
        text = text.replace(str(column.sql()), str(plain.sql()))
    return text
