"""Progress of Spark jobs: how many tasks of those that a statement started are done."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from puredelta._util.progress import AUTO, OFF, ProgressStep, ask_mode, is_wanted, progress
from puredelta._util.progress_display import is_notebook
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.session.sessions import active_session, setting
from puredelta.settings import PROGRESS

_SECONDS_BETWEEN_LOOKS = 0.25

# The bar that Spark draws in terminals: in all sessions that Python starts, unless it is disabled.
_SPARK_BAR = "spark.ui.showConsoleProgress"


def follow_sessions() -> None:
    """Let the session that works say whether progress is shown."""
    ask_mode(_mode_of_active_session)


@contextmanager
def job_progress(session: SparkSession, what: str) -> Iterator[str]:
    """Show how far the Spark jobs are that the calling thread starts meanwhile.

    Gives what the session says of showing progress, for the work that follows.

    Args:
        session: where they run; it says whether they are shown.
        what: what is done, in words.
    """
    mode = _mode(session)
    if not is_wanted(mode) or (mode == AUTO and _has_bar_of_spark(session)):
        yield mode
        return
    context = session.sparkContext
    tag = f"puredelta-{uuid.uuid4()}"
    done = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(context._jsc.sc().statusTracker(), tag, what, mode, done), daemon=True
    )
    context.addJobTag(tag)
    watcher.start()
    try:
        yield mode
    finally:
        done.set()
        watcher.join()
        context.removeJobTag(tag)


def _has_bar_of_spark(session: SparkSession) -> bool:
    return not is_notebook() and setting(session, _SPARK_BAR, "false") == "true"


def _watch(tracker: Any, tag: str, what: str, mode: str, done: threading.Event) -> None:
    # The session may be stopped under the job.
    with suppress(Py4JError), progress(what, unit="tasks", mode=mode) as step:
        while not done.wait(_SECONDS_BETWEEN_LOOKS):
            _look(tracker, tag, step)


def _look(tracker: Any, tag: str, step: ProgressStep) -> None:
    tasks = finished = 0
    for stage in stages_of(tracker, tag):
        tasks += stage.numTasks()
        finished += stage.numCompletedTasks()
    if tasks:
        step.at(finished, tasks)


def stages_of(tracker: Any, tag: str) -> Iterator[Any]:
    """Yield the stages of the jobs with a tag; those that wait, or are skipped, are not known."""
    for job in tracker.getJobIdsForTag(tag):
        known = tracker.getJobInfo(job)
        for number in known.get().stageIds() if known.isDefined() else ():
            stage = tracker.getStageInfo(number)
            if stage.isDefined():
                yield stage.get()


def _mode(session: SparkSession) -> str:
    return (setting(session, PROGRESS, AUTO) or AUTO).strip().lower()


def _mode_of_active_session() -> str:
    try:
        return _mode(active_session())
    # Without a session, or after its end, nothing says whether progress is wanted.
    except (Py4JError, PySparkException, AssertionError):
        return OFF
