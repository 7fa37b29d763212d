"""What holds while a statement runs: the files it chose are kept, its columns know no lines."""

from collections.abc import Iterator
from contextlib import contextmanager

from puredelta.engine.call_sites import without_call_sites
from puredelta.engine.file_subset import kept_while_it_runs


@contextmanager
def as_one_statement() -> Iterator[None]:
    """Run what reads some of a table's files and makes many columns; also a decorator."""
    with kept_while_it_runs(), without_call_sites():
        yield
