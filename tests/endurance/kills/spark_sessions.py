"""Spark processes of the trials: one that outlives the Python beside it, or one that dies whole."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.endurance.kills.warm_pythons import WarmPythons
from tests.ways.programs import environment, settings

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).parent / "spark_process.py"
ANSWER = "answer"

CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    "spark.databricks.delta.vacuum.logging.enabled": "true",
}


@dataclass
class SparkProcess:
    """A process that runs statements."""

    process: "subprocess.Popen[str]"

    def run(self, **asked: str) -> str | None:
        """Run a statement; return its error, None for success.

        Raises:
            ProcessLookupError: the process has ended.
        """
        assert self.process.stdin is not None
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        return self.answer()

    def answer(self) -> str | None:
        """Wait for an answer."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(f'["{ANSWER}"'):
                error: str | None = json.loads(line)[1]
                return error
        raise ProcessLookupError

    def end(self) -> None:
        """Kill it, its JVM, and the Python beside that."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


@contextlib.contextmanager
def beside(folder: Path, variables: Mapping[str, str]) -> Iterator[SparkProcess]:
    """Start Spark so that the adapters start a Python beside it, under some variables.

    Args:
        folder: a place for what it needs.
        variables: of the environment of the Python beside it, and of no other process.
    """
    pythons = WarmPythons(folder, variables)
    conf = {**settings(), "spark.puredelta.python": str(pythons.program)}
    try:
        with _started(folder, conf) as process:
            yield process
    finally:
        pythons.end()


@contextlib.contextmanager
def whole(folder: Path, variables: Mapping[str, str]) -> Iterator[SparkProcess]:
    """Start a Python driver that speaks Delta, its JVM included, under some variables."""
    with _started(folder, {}, "--configured", **variables) as process:
        yield process


@contextlib.contextmanager
def _started(
    folder: Path, conf: Mapping[str, str], *options: str, **variables: str
) -> Iterator[SparkProcess]:
    given = json.dumps({**CONF, "spark.sql.warehouse.dir": str(folder / "warehouse"), **conf})
    with (
        (folder / "errors").open("a") as errors,
        subprocess.Popen(
            [sys.executable, str(SCRIPT), given, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=folder,
            env=environment(**variables),
            start_new_session=True,
        ) as process,
    ):
        started = SparkProcess(process)
        try:
            started.answer()
            yield started
        finally:
            started.end()
