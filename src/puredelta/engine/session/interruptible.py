"""Statements that can be interrupted: their jobs are cancelled, and the tasks of these have ended.

Spark ends a cancelled job at once and its tasks when they notice. Until then they may write, so
the interrupted statement waits for them before its caller goes on or the process ends.
"""

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import Any

from puredelta._util import interrupts
from puredelta.engine.bridge.jvm_parts import Py4JError, SparkContext
from puredelta.engine.session.progress import stages_of

_SECONDS_BETWEEN_TRIES = 0.1

# For calls into the JVM that are no statement of ours; then the interrupt is raised within them.
_SECONDS_OF_GRACE = 2.0

_SECONDS_FOR_TASKS = 10.0

# Spark reports tasks that have begun up to a tenth of a second later.
_LOOKS_AT_TASKS = 4


# The context and the tag of jobs of each statement that the main thread waits for, or has left.
_running: dict[interrupts.Wait, tuple[Any, str]] = {}


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an interrupt cancel the jobs that are started inside.

    Raises:
        KeyboardInterrupt: the statement was interrupted; nothing was committed, or its text says
            what was.
    """
    context = SparkContext._active_spark_context
    if context is None:
        yield
        return
    with interrupts.hold_back():
        wait = interrupts.current()
        # A statement within a statement belongs to the outer one, which waits for the tasks of
        # both.
        if wait is None or wait in _running:
            yield
            return
        # An interrupt that came before the jobs have a tag cancels none of them, so it ends the
        # statement here.
        interrupts.check()
        jvm_context = context._jsc.sc()
        tag = f"puredelta-statement-{uuid.uuid4()}"
        jvm_context.addJobTag(tag)
        _running[wait] = jvm_context, tag
        try:
            yield
        finally:
            if wait.reason is not None:
                _wait_for_tasks(jvm_context, tag)
            del _running[wait]
            # The session may have been stopped.
            with suppress(Py4JError):
                jvm_context.removeJobTag(tag)


def _wait_for_tasks(context: Any, tag: str) -> None:
    """Wait for the tasks of cancelled jobs; they remove the files that they were writing."""
    until = monotonic() + _SECONDS_FOR_TASKS
    with suppress(Py4JError):
        tracker, seen_idle = context.statusTracker(), 0
        while monotonic() < until and seen_idle < _LOOKS_AT_TASKS:
            is_busy = any(stage.numActiveTasks() for stage in stages_of(tracker, tag))
            seen_idle = 0 if is_busy else seen_idle + 1
            sleep(_SECONDS_BETWEEN_TRIES)


def _cancel(wait: interrupts.Wait) -> None:
    """Begin to cancel what the main thread waits for; called by the handler of a signal."""
    # The handler must not ask the JVM on the main thread's connection, which may be waiting for an
    # answer.
    threading.Thread(target=_watch, args=(wait,), daemon=True).start()


def _watch(wait: interrupts.Wait) -> None:
    """Cancel jobs, those that are started later too, until the statement has ended."""
    patience_ends = monotonic() + _SECONDS_OF_GRACE
    while not wait.is_over or wait in _running:
        context, tag = _running.get(wait, (None, ""))
        if context is not None:
            with suppress(Py4JError):
                context.cancelJobsWithTag(tag)
            patience_ends = monotonic() + _SECONDS_OF_GRACE
        elif monotonic() > patience_ends:
            interrupts.insist(wait)
        sleep(_SECONDS_BETWEEN_TRIES)


interrupts.on_interrupt(_cancel)
