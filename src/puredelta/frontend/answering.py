"""Makes this process the one that answers the adapters of a JVM, with all that is answered."""

from pathlib import Path

from pyspark.sql import SparkSession

from puredelta.commands.optimize.auto_compaction import compact_after_commit
from puredelta.commands.transactions import after_each_commit
from puredelta.engine.bridge import failures, gateway, patches, session_settings
from puredelta.engine.exceptions import public
from puredelta.engine.hadoop import session_options
from puredelta.engine.hadoop.table_options import forget_options
from puredelta.engine.scan import file_index, generated_filters, metadata_queries, parquet_format
from puredelta.engine.session.sessions import forget_stopped_sessions
from puredelta.engine.streaming.query_failures import follow_queries
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.frontend import datasource, explain, half_enabled
from puredelta.frontend.catalog import load_table, staging
from puredelta.frontend.sql import analysis_rule, parser_rule, table_functions
from puredelta.frontend.streaming import catalog_entry, sink, source

# Imported for their handlers, which answer the adapters.
HANDLERS = (
    file_index,
    generated_filters,
    metadata_queries,
    parquet_format,
    staging,
    load_table,
    datasource,
    half_enabled,
    analysis_rule,
    parser_rule,
    table_functions,
    catalog_entry,
    sink,
    source,
)

# What a session that is configured by settings alone has, under our name or delta-spark's. The
# extension names the catalog where no setting does.
_SETTINGS = (
    (
        session_settings.EXTENSIONS,
        {session_settings.OUR_EXTENSION, session_settings.THEIR_EXTENSION},
        half_enabled.NO_EXTENSION,
    ),
    (
        session_settings.CATALOG,
        {"", session_settings.OUR_CATALOG, session_settings.THEIR_CATALOG},
        half_enabled.NO_CATALOG,
    ),
)

after_each_commit(compact_after_commit)
# A session that does not speak Delta says so, too.
failures.install()


def answer(options: dict[str, str]) -> Path:
    """Answer the adapters of this process's JVM, which is started where there is none.

    Args:
        options: settings of the session; those of the driver's JVM count when it starts here.

    Returns:
        The jar of the adapters, for `spark.jars`.
    """
    _prepare_process()
    return gateway.open_gateway(options)


def join(*, takes_over: bool = True) -> None:
    """Answer the adapters of the JVM that this process is connected to, which has them already.

    Args:
        takes_over: answer in place of another process that may answer already.

    Raises:
        DeltaRuntimeException: as `gateway.join_gateway`.
    """
    _prepare_process()
    gateway.join_gateway(takes_over=takes_over)


def refuse_connect(session: SparkSession) -> None:
    """Refuse a session of Spark Connect, which has no JVM in this process.

    Raises:
        DeltaRuntimeException: PUREDELTA_CONNECT_SESSION.
    """
    if not hasattr(session, "_jsparkSession"):
        raise public(DeltaRuntimeError("PUREDELTA_CONNECT_SESSION"))


def ensure(session: SparkSession) -> None:
    """Answer in a session that was configured by settings alone, as by `spark-submit --conf`.

    Raises:
        DeltaRuntimeException: PUREDELTA_CONNECT_SESSION; PUREDELTA_SESSION_NOT_ENABLED where a
            setting is missing, PUREDELTA_ADAPTERS_MISSING where the jar is.
    """
    refuse_connect(session)
    if gateway.is_answering():
        return
    for key, wanted, reason in _SETTINGS:
        if wanted.isdisjoint((session.conf.get(key, "") or "").split(",")):
            raise public(half_enabled.session_lacks(reason))
    join()


def forget_stopped() -> None:
    """Drop what belongs to a context that was stopped."""
    forget_options()
    forget_stopped_sessions()


def _prepare_process() -> None:
    """Let stores, `explain`, queries and the end of a context know of us; safe to repeat."""
    session_options.register()
    explain.install()
    follow_queries()
    patches.after_stop(forget_stopped)
