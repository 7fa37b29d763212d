"""What a stream over a table would read next, from the beginning or from a checkpoint on."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.streaming.path_pattern import compile_pattern
from puredelta.errors.classes import DeltaError
from puredelta.frontend.options import lowered
from puredelta.frontend.streaming.source import newest_of, stream_over
from puredelta.storage.location import table_url
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.streaming.admission import Limit
from puredelta.streaming.explain import StreamExplained, explain_stream
from puredelta.streaming.offsets import read_offset
from puredelta.streaming.options import stream_options

_OFFSETS, _COMMITS = "offsets", "commits"


def explain_stream_of(
    session: SparkSession,
    table: TableRef,
    options: Mapping[str, object],
    checkpoint: str | None,
    batches: int,
) -> StreamExplained:
    """Return what a stream would read next; see `DeltaTable.explain_stream`.

    Args:
        session: of the table.
        table: that is read.
        options: of the reader.
        checkpoint: of a query; None for a new one.
        batches: how many batches are planned.
    """
    if batches < 1:
        raise ValueError(f"batches is {batches}: plan one at least")
    given = lowered({name: _text(value) for name, value in options.items()})
    parsed = stream_options(given, compile_pattern)
    read = newest_of(table)
    stream = stream_over(session, table, read, parsed)
    limit = Limit(parsed.max_files, parsed.max_bytes)
    start = None
    if checkpoint is not None:
        store = open_store(table_url(hadoop_path(session, checkpoint)))
        start = last_offset(store, read.metadata.id)
    return explain_stream(stream, table.label, limit, start, batches)


def last_offset(checkpoint: Store, table: str) -> str | None:
    """Return the offset up to which a query has read a table; None where it has not begun.

    Args:
        checkpoint: of the query, as Spark writes it.
        table: the id of the table.
    """
    done = _numbers(checkpoint, _COMMITS)
    if not done:
        return None
    lines = checkpoint.read(f"{_OFFSETS}/{done[-1]}").decode().splitlines()
    # A version and Spark's own metadata come first, then a line for each source.
    return next((line for line in lines[2:] if _is_of(line, table)), None)


def _is_of(line: str, table: str) -> bool:
    try:
        read_offset(line, table)
    except DeltaError:
        return False
    return True


def _numbers(store: Store, folder: str) -> list[int]:
    names = (info.name.rpartition("/")[2] for info in store.list_from(folder))
    return sorted(int(name) for name in names if name.isdigit())


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
