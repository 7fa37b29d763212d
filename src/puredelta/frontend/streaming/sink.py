"""writeStream.format("delta"): checks the request when a query starts, and writes its batches."""

from typing import Any

import msgspec
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from puredelta.commands.stream_write import StreamKey, StreamWrite, options_of_stream
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.history import StreamBatch
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.hadoop.table_options import file_system_options
from puredelta.engine.session.context import context_of
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.sessions import session_of
from puredelta.engine.session.table_reads import plan_reads_table
from puredelta.engine.streaming.batch_rows import rows_of_batch
from puredelta.engine.streaming.stopped_queries import interruption
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.frontend.catalog.partition_paths import refuse_partition
from puredelta.frontend.options import cluster_by, lowered, write_options

APPEND, COMPLETE, UPDATE = "Append", "Complete", "Update"
# Our own options of a streaming write, which `DeltaTable.upsert_stream` sets.
UPSERT_KEY, SEQUENCE_BY = "upsertKey", "upsertSequenceBy"


class _Sink(msgspec.Struct, frozen=True, rename="camel"):
    """What `puredelta.StreamSink` says of a query.

    Attributes:
        mode: the output mode: Append, Complete or Update.
        options: of the writer.
        partition_by: of the writer.
    """

    mode: str
    options: dict[str, str]
    partition_by: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where the table lies, as the user wrote it."""
        path = lowered(self.options).get("path")
        if not path:
            raise DeltaIllegalArgumentError(
                "DELTA_ILLEGAL_OPTION",
                input="",
                name="path",
                explain="say where the table lies: start(path) or toTable(name)",
            )
        return path

    @property
    def key(self) -> StreamKey | None:
        """By what rows are merged; None where they are not."""
        given = lowered(self.options)
        columns = given.get(UPSERT_KEY.lower())
        if columns is None:
            return None
        return StreamKey(columns=key_of_option(columns), sequence_by=given.get(SEQUENCE_BY.lower()))

    def table(self, session: SparkSession) -> TableRef:
        """Return the target."""
        files = file_system_options(lowered(self.options))
        return TableRef(root=hadoop_path(session, self.path, files), options=files)


class _SinkBatch(_Sink, frozen=True, rename="camel", kw_only=True):
    """What it says of a batch.

    Attributes:
        query: the id of the query.
        batch: the number of the batch.
    """

    query: str
    batch: int


_SINKS = msgspec.json.Decoder(_Sink)
_BATCHES = msgspec.json.Decoder(_SinkBatch)


def key_of_option(text: str) -> tuple[str, ...]:
    """Return the columns of the option `upsertKey`: a name, or a list of names as JSON.

    Raises:
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION.
    """
    if not text.lstrip().startswith("["):
        return (text,)
    try:
        names = msgspec.json.decode(text, type=tuple[str, ...])
    except msgspec.DecodeError:
        names = ()
    if not names:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input=text,
            name=UPSERT_KEY,
            explain="must be a column, or a JSON list of columns",
        )
    return names


@serve("stream.sink")
def open_sink(text: str, jvm_session: Any, _second: Any) -> str:
    """Check what a query asks of its target, before its first batch; return the path.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_OUTPUT_MODE.
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION.
    """
    asked = _SINKS.decode(text)
    path, key = asked.path, asked.key
    if asked.mode not in ({APPEND, COMPLETE} if key is None else {APPEND, UPDATE}):
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_OUTPUT_MODE", dataSource="delta", mode=asked.mode
        )
    options_of_stream(write_options(asked.options))
    # A table inside a partition would be a second log over the folder of the first.
    session = session_of(jvm_session)
    table = asked.table(session)
    if not table.log().exists():
        refuse_partition(session, table)
    return path


@serve("stream.batch")
def write_batch(text: str, jvm_session: Any, jvm_data: Any) -> str | None:
    """Write the rows of a batch; answer with the reason if the query is being stopped.

    Raises:
        DeltaError: what `StreamWrite.run` raises.
    """
    asked = _BATCHES.decode(text)
    # The query runs in a clone of the user's session, with settings of its own.
    session = session_of(jvm_session)
    table = asked.table(session)
    wanted = StreamWrite(
        table=table,
        frame=rows_of_batch(session, jvm_data),
        batch=StreamBatch(
            query=asked.query,
            number=asked.batch,
            complete=asked.mode == COMPLETE,
            reads_table=plan_reads_table(DataFrame(jvm_data, session), table.root),
        ),
        partition_by=asked.partition_by,
        cluster_by=cluster_by(asked.options),
        options=options_of_stream(write_options(asked.options)),
        key=asked.key,
    )
    try:
        wanted.run(context_of(session))
    except (Py4JError, PySparkException) as error:
        reason = interruption(error)
        if reason is None:
            raise
        return reason
    return None
