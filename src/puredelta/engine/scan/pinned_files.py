"""A DataFrame over some of a version's files: what DML reads of a table that it rewrites."""

import itertools
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from puredelta.engine.hadoop.table_options import remember
from puredelta.engine.scan.described_table import DescribedTable
from puredelta.engine.scan.handle import ScanHandle, schema_fingerprint
from puredelta.engine.scan.reader_settings import set_reader_settings
from puredelta.engine.scan.row_tracking_metadata import row_id_fields
from puredelta.log.files import total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json
from puredelta.table.columns.visible_schema import visible_schema

_T = TypeVar("_T")

# So many choices are kept that were made outside of a statement, whose end would release them.
_LOOSE_KEPT = 64

_numbers = itertools.count(1)
_subsets: dict[int, pa.Table] = {}
_planned: dict[int, Snapshot] = {}
_loose: deque[int] = deque()
_of_statement: ContextVar[list[int] | None] = ContextVar("of_statement", default=None)


@contextmanager
def pin_files() -> Iterator[None]:
    """Keep the files that a statement chooses until it ends, and no longer; also a decorator."""
    chosen: list[int] = []
    token = _of_statement.set(chosen)
    try:
        yield
    finally:
        _of_statement.reset(token)
        for number in chosen:
            _forget(number)


class FilesOfPlans:
    """The files that plans of one owner name, such as those of the batches of a stream.

    Spark reads a batch after the call that made its plan, so the owner says when it is over.
    """

    def __init__(self) -> None:
        self._numbers: list[int] = []

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Keep the files that are chosen inside until `release`, and release those before them."""
        self.release()
        token = _of_statement.set(self._numbers)
        try:
            yield
        finally:
            _of_statement.reset(token)

    def release(self) -> None:
        """Forget the files: no plan that names them runs any more."""
        while self._numbers:
            _forget(self._numbers.pop())


def frame_of_files(
    session: SparkSession,
    root: str,
    snapshot: Snapshot,
    files: pa.Table | None,
    options: Mapping[str, str],
    *,
    is_planned: bool = False,
) -> DataFrame:
    """Return the rows of some files of a version, or of all; deleted ones are left out.

    The DataFrame is for use at once: its files are forgotten when the statement ends that it is
    for; without one, after many later ones.

    Args:
        session: where it is read.
        root: the table's folder, as Hadoop names it.
        snapshot: the version.
        files: rows of `snapshot.files`; None for all.
        options: of the table's file system.
        is_planned: the version is one that the statement is about to make of the one that it has
            the number of: with other columns.
    """
    listed = snapshot.files if files is None else files
    number = next(_numbers)
    set_reader_settings(snapshot)
    handle = ScanHandle(
        root=root,
        version=snapshot.version,
        fingerprint=schema_fingerprint(snapshot.metadata),
        options=remember(options),
        only_files=None if files is None else _remember(number, files, _subsets),
        planned=_remember(number, snapshot, _planned) if is_planned else None,
        # Spark must not take it for an equal scan: rows of this version that a user has cached do
        # not name their files.
        number=number,
        row_ids=row_id_fields(snapshot.metadata),
    )
    described = DescribedTable(
        handle=handle,
        name=handle.label,
        schema=schema_to_json(visible_schema(snapshot.schema)),
        partitions=snapshot.partition_columns,
        bytes=total_bytes(listed),
        options=options,
    )
    return described.frame(session)


def remember_files(files: pa.Table) -> int:
    """Keep a choice of files for the plans of the statement or the owner; return its number."""
    return _remember(next(_numbers), files, _subsets)


def remember_version(snapshot: Snapshot) -> int:
    """Keep a version itself for plans, so that they do not look it up; return its number."""
    return _remember(next(_numbers), snapshot, _planned)


def _remember(number: int, value: _T, known: dict[int, _T]) -> int:
    known[number] = value
    chosen = _of_statement.get()
    if chosen is None:
        _loose.append(number)
        if len(_loose) > _LOOSE_KEPT:
            _forget(_loose.popleft())
    else:
        chosen.append(number)
    return number


def _forget(number: int) -> None:
    _subsets.pop(number, None)
    _planned.pop(number, None)


def subset(number: int) -> pa.Table:
    """Return the files of a choice, as rows of `log.files.FILES`."""
    return _subsets[number]


def planned(number: int) -> Snapshot:
    """Return a version that no log has yet."""
    return _planned[number]
