"""What holds while a statement runs.

It can be interrupted and leaves no files when it fails; the files it chose are kept, and its
columns know no lines.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from puredelta.engine.bridge.call_sites import without_call_sites
from puredelta.engine.scan.pinned_files import pin_files
from puredelta.engine.session.interruptible import interruptible
from puredelta.storage.uncommitted import removed_on_failure


@contextmanager
def statement_scope() -> Iterator[None]:
    """Run what reads some of a table's files and makes many columns; also a decorator."""
    with (
        interruptible(),
        removed_on_failure(),
        pin_files(),
        without_call_sites(),
    ):
        yield
