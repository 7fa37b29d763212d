"""The Python process beside a shell ends, or the shell does: tables are as they were."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError

from puredelta.log import open_table
from tests.patience import patient
from tests.ways.programs import command, environment, run

# Each starts a Spark.
pytestmark = pytest.mark.rest

SLOW = "SELECT reflect('java.lang.Thread', 'sleep', 6000L) IS NULL"

# The JVM finds that objects of the process that was killed are garbage.
COLLECT = """
        SELECT reflect('java.lang.System', 'gc') IS NULL;
        SELECT reflect('java.lang.Thread', 'sleep', 1000L) IS NULL;
        SELECT reflect('java.lang.System', 'gc') IS NULL;
        SELECT reflect('java.lang.Thread', 'sleep', 1000L) IS NULL;
"""


def script(folder: Path, text: str) -> list[str]:
    file = folder / "statements.sql"
    file.write_text(text)
    return ["-f", str(file)]


def killer(folder: Path, after: int) -> str:
    """A statement that kills the process some seconds later; the shell goes on at once."""
    file = folder / "kill.sh"
    file.write_text(
        f"(sleep {after}; pkill -9 -P $PPID -f puredelta.sidecar) > /dev/null 2>&1 < /dev/null &\n"
    )
    return f"!sh {file};"


def test_statement_whose_process_is_killed_fails_and_the_next_one_works(tmp_path):
    text = f"""
        CREATE TABLE t (id BIGINT, slow BOOLEAN) USING delta;
        INSERT INTO t VALUES (1, false);
        {killer(tmp_path, 3)}
        INSERT INTO t SELECT 2L, slow FROM ({SLOW} AS slow);
        INSERT INTO t VALUES (3, false);
        {COLLECT}
        INSERT INTO t VALUES (4, false);
        SELECT 'ids', array_sort(collect_list(id)) FROM t;
    """
    goes_on = ["--hiveconf", "hive.cli.errors.ignore=true"]
    done = run("spark-sql", [*goes_on, *script(tmp_path, text)], tmp_path)

    assert done.stdout.splitlines()[-1:] == ["ids\t[1,3,4]"], done.stderr
    assert "[PUREDELTA_SIDECAR_ENDED]" in done.stderr


@contextmanager
def shell(folder: Path, text: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a shell that has a process group of its own, and end all of it."""
    process = subprocess.Popen(
        command("spark-sql", script(folder, text), folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment(),
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def children(pid: int) -> list[int]:
    found = subprocess.run(
        ["pgrep", "-P", str(pid), "-f", "puredelta.sidecar"], capture_output=True, check=False
    )
    return [int(number) for number in found.stdout.split()]


def wait_for(condition) -> None:
    end = time.monotonic() + patient(120)
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def version(table: Path) -> int:
    return open_table(table).version if (table / "_delta_log").is_dir() else -1


def test_shell_that_is_killed_takes_its_process_along(tmp_path):
    # More than it runs while a second process starts, on a slow machine too.
    inserts = "".join(f"INSERT INTO t VALUES ({n}), ({n});\n" for n in range(1_000))
    table = tmp_path / "tables" / "t"

    with shell(tmp_path, "CREATE TABLE t (id BIGINT) USING delta;\n" + inserts) as process:
        wait_for(lambda: version(table) >= 5)
        (beside,) = children(process.pid)
        variables = variables_of(beside)
        refuses_a_wrong_secret(int(variables["PYSPARK_GATEWAY_PORT"]))
        refuses_a_second_process(variables)
        process.kill()
        process.wait()
        wait_for(lambda: not Path(f"/proc/{beside}").exists())

    last = version(table)
    text = "INSERT INTO t VALUES (-1); SELECT 'rows', count(*) FROM t;"
    done = run("spark-sql", script(tmp_path, text), tmp_path)
    assert 5 <= last < 1_000
    assert done.stdout.splitlines()[-1:] == [f"rows\t{2 * last + 1}"], done.stderr


def variables_of(beside: int) -> dict[str, str]:
    """Return a process's environment, which its own user alone can read: the secret is in it."""
    environ = Path(f"/proc/{beside}/environ")
    assert environ.stat().st_mode & 0o077 == 0
    return dict(line.split("=", 1) for line in environ.read_text().split("\0") if "=" in line)


def refuses_a_wrong_secret(port: int) -> None:
    """Nobody without the secret talks to the JVM."""
    for secret in (None, "wrong"):
        parameters = GatewayParameters(port=port, auth_token=secret)
        with pytest.raises(Py4JError, match=r"(?i)auth"):
            JavaGateway(gateway_parameters=parameters).jvm.System.nanoTime()


def refuses_a_second_process(variables: dict[str, str]) -> None:
    """A process that nobody needs ends, and the one that answers goes on."""
    done = subprocess.run(
        [sys.executable, "-m", "puredelta.sidecar"],
        capture_output=True,
        text=True,
        check=False,
        env=variables,
    )
    assert done.returncode == 1
    assert "[PUREDELTA_SIDECAR_SECOND]" in done.stderr
