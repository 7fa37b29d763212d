"""The context of a running statement.

The statement can be interrupted and leaves no files when it fails. The files that it chose stay
pinned, its columns record no call sites, and its calls into the JVM wait for one another.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from puredelta.engine.bridge.call_sites import without_call_sites
from puredelta.engine.bridge.deferred import deferred
from puredelta.engine.scan.pinned_files import pin_files
from puredelta.engine.session.interruptible import interruptible
from puredelta.storage.uncommitted import removed_on_failure


@contextmanager
def statement_scope() -> Iterator[None]:
    """Run a statement in its context; also a decorator."""
    with (
        interruptible(),
        removed_on_failure(),
        pin_files(),
        without_call_sites(),
        deferred(),
    ):
        yield
