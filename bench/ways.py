"""What each way into Spark costs: the sidecar beside a Python driver, Connect on top of a driver.

python bench/ways.py [sidecar|start|connect]    prints what `run.py` adds to RESULTS.md

The sidecar serves Spark's own Thrift server, a Python driver the one of `puredelta serve`; one
client runs the same statements on both, in turns.
"""

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pyspark
from pyhive import hive
from sides import run
from ways_operations import OF_BOTH, OF_DELTA, SMALL, TIMES, seconds_in_turns

CONNECT_TURNS = Path(__file__).resolve().parent / "connect_turns.py"
BIN = Path(pyspark.__file__).parent / "bin"
THRIFT_SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
ROUNDS = 2
SIDECAR_GOAL, START_GOAL = 1.1, 2.5


def ways(*names: str) -> str:
    """Measure ways and return the results as a section of a page.

    Args:
        names: of `SECTIONS`; all of them if none is given.
    """
    return "\n".join(line for name in names or SECTIONS for line in SECTIONS[name]())


def _of_sidecar() -> list[str]:
    with (
        _thrift_server() as beside,
        _serve() as (driver, _),
        _client(beside) as sidecar,
        _client(driver) as python,
    ):
        seen = seconds_in_turns({"sidecar": sidecar, "driver": python})
    lines = [
        "",
        "Statements through the sidecar and through a Python driver (`python bench/ways.py`), one",
        f"client of JDBC, medians of {TIMES} each, statement by statement in turns, in ms:",
        "",
        "| statement | sidecar | Python driver | ratio | goal | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name in (*OF_BOTH, *OF_DELTA):
        ours, driver = (statistics.median(seen[way][name]) * 1000 for way in ("sidecar", "driver"))
        ratio = ours / driver
        verdict = "reached" if ratio <= SIDECAR_GOAL else "missed"
        lines.append(
            f"| {name} | {ours:,.0f} | {driver:,.0f} | {ratio:.2f} | {SIDECAR_GOAL} | {verdict} |"
        )
    return lines


def _of_start() -> list[str]:
    """Time `spark-sql` from nothing to a table, Parquet without us and Delta with the sidecar."""
    times: dict[str, list[float]] = {"parquet": [], "delta": []}
    for _ in range(ROUNDS):
        for form, found in times.items():
            found.append(_shell(form))
    parquet, delta = (statistics.median(times[form]) for form in ("parquet", "delta"))
    more = delta - parquet
    verdict = "reached" if more <= START_GOAL else "missed"
    return [
        "",
        "`spark-sql` from nothing to the end of CREATE TABLE and INSERT (medians):",
        f"{parquet:.1f} s with Parquet in plain Spark, {delta:.1f} s with Delta and the sidecar,",
        f"{more:.1f} s more (goal: {START_GOAL} s more, {verdict}).",
    ]


def _of_connect() -> list[str]:
    more = json.loads(run([sys.executable, str(CONNECT_TURNS), str(_free_port())]))
    lines = [
        "",
        "What Spark Connect adds to a statement (`python bench/ways.py connect`): one driver and",
        "one client of it run the same in turns, medians of the differences and quartiles, in ms:",
        "",
        "| statement | Delta | Parquet |",
        "|---|---:|---:|",
    ]
    for name in OF_BOTH:
        cells = []
        for form in ("delta", "parquet"):
            low, middle, high = statistics.quantiles(more[form][name], n=4)
            cells.append(f"{middle * 1000:,.0f} ({low * 1000:,.0f} to {high * 1000:,.0f})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


@contextmanager
def _client(port: int) -> Iterator[Callable[[str], None]]:
    """Connect to a Thrift server; yield what runs a statement and fetches its rows."""
    with closing(hive.connect(host="127.0.0.1", port=port)) as connection:
        cursor = connection.cursor()

        def fetch(text: str) -> None:
            cursor.execute(text)
            if cursor.description:
                cursor.fetchall()

        yield fetch


def _conf(settings: Mapping[str, str]) -> list[str]:
    return [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]


def _ours() -> dict[str, str]:
    command = [sys.executable, "-m", "puredelta", "conf", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _shell(form: str) -> float:
    settings = {**SMALL, **(_ours() if form == "delta" else {})}
    text = f"CREATE TABLE t (id BIGINT) USING {form}; INSERT INTO t VALUES (1);"
    command = [str(BIN / "spark-sql"), *_conf(settings), "-e", text]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        return time.perf_counter() - begin


@contextmanager
def _program(command: Sequence[str], ports: Sequence[int]) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            for port in ports:
                _wait_for(port)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


@contextmanager
def _thrift_server() -> Iterator[int]:
    port = _free_port()
    bound = {"spark.hadoop.hive.server2.thrift.port": str(port)}
    settings = _conf({**SMALL, **_ours(), **bound})
    command = [str(BIN / "spark-submit"), *settings, "--class", THRIFT_SERVER, "spark-internal"]
    with _program(command, [port]):
        yield port


@contextmanager
def _serve() -> Iterator[tuple[int, int]]:
    thrift, connect = _free_port(), _free_port()
    command = [sys.executable, "-m", "puredelta", "serve", *_conf(SMALL)]
    command += ["--thrift-port", str(thrift), "--connect-port", str(connect)]
    with _program(command, [thrift, connect]):
        yield thrift, connect


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    end = time.monotonic() + 120
    while not _listens(port):
        if time.monotonic() > end:
            sys.exit(f"nothing listens at port {port}")
        time.sleep(0.2)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


SECTIONS = {"sidecar": _of_sidecar, "start": _of_start, "connect": _of_connect}

if __name__ == "__main__":
    print(ways(*sys.argv[1:]))
