"""Runs `delta_spark.py` on the oracle's session, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.parity.record import find_oracle, oracle_environment

SCRIPT = Path(__file__).parent / "delta_spark.py"
# Most of the time goes into compiling code that runs once.
JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"


class NoOracleError(Exception):
    """delta-spark cannot be had here."""


def run_delta_spark(folder: Path, parts: list[str], script: Path = SCRIPT) -> Path:
    """Let delta-spark do what it is asked.

    Args:
        folder: A place for what it needs.
        parts: Arguments of the script, after the file of its result.
        script: The script.

    Returns:
        The file of what it found.

    Raises:
        NoOracleError: It cannot be installed here.
        RuntimeError: It did not come to an end.
    """
    oracle = find_oracle()
    if oracle is None:
        raise NoOracleError("no oracle.py found (set PUREDELTA_ORACLE)")
    result = folder / "result.json"
    done = subprocess.run(
        [sys.executable, str(oracle), "exec", str(script), str(result), *parts],
        env=_environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    if not result.is_file():
        raise _why(done)
    return result


def _why(done: subprocess.CompletedProcess[str]) -> Exception:
    told = (done.stderr or done.stdout)[-1500:]
    installing = any(word in told for word in ("mvn", "pip", "No module named", "FileNotFound"))
    if installing and SCRIPT.name not in told:
        return NoOracleError(f"its JARs or PySpark cannot be had here: {told[-300:]}")
    return RuntimeError(f"delta-spark did not come to an end: {told}")


def _environment(folder: Path) -> dict[str, str]:
    try:
        environment = oracle_environment(folder)
    except subprocess.CalledProcessError as error:
        raise NoOracleError(f"its Python package cannot be installed here: {error}") from error
    environment["JAVA_TOOL_OPTIONS"] = JAVA
    # The oracle has an environment of its own.
    ours = {"SPARK_HOME", "PYSPARK_PYTHON", "SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"}
    return {key: value for key, value in environment.items() if key not in ours}
