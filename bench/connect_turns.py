"""What Spark Connect adds to a statement: one driver and one client of it run the same in turns.

python bench/connect_turns.py PORT    prints RESULT and what the client took more, in seconds

Both run in one JVM on the same tables, so neither finds it warmer. The driver times a statement in
its own session, has the client time the same one, and keeps the difference of each pair.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, cast

from pyspark.sql import SparkSession
from ways_operations import OF_BOTH, SMALL

import puredelta
from puredelta.engine.session.servers import start_connect

FORMS = ("delta", "parquet")
_WARM, _TIMES = 40, 60

Run = Callable[[str], float]


def measure(port: int) -> dict[str, dict[str, list[float]]]:
    """Return by format and statement what each repetition took more through Spark Connect.

    Args:
        port: a free port for the server.
    """
    session = _driver(port)
    stop = start_connect(session)
    try:
        with _client(port) as through:
            return _in_turns(lambda text: _seconds(session, text), through)
    finally:
        stop()
        session.stop()


def _in_turns(inside: Run, through: Run) -> dict[str, dict[str, list[float]]]:
    more: dict[str, dict[str, list[float]]] = {form: {} for form in FORMS}
    for form in FORMS:
        inside(f"CREATE TABLE of_{form} (id BIGINT, name STRING) USING {form}")
        inside(f"INSERT INTO of_{form} SELECT id, 'old' FROM range(100)")
    for name, text in OF_BOTH.items():
        for repetition in range(_WARM + _TIMES):
            for form in FORMS:
                statement = text.format(table=f"of_{form}", number=1000 + repetition)
                # The second one finds the files of the table in the cache of the system.
                order = (inside, through) if repetition % 2 else (through, inside)
                seconds = {run: run(statement) for run in order}
                if repetition >= _WARM:
                    found = more[form].setdefault(name, [])
                    found.append(seconds[through] - seconds[inside])
    return more


def _driver(port: int) -> SparkSession:
    settings = {
        **SMALL,
        "spark.sql.warehouse.dir": tempfile.mkdtemp(),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    builder = SparkSession.builder.config(map=settings)
    session = puredelta.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


@contextmanager
def _client(port: int) -> Iterator[Run]:
    command = [sys.executable, __file__, f"sc://127.0.0.1:{port}"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        asked, answered = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)

        def run(text: str) -> float:
            print(text, file=asked, flush=True)
            return float(answered.readline())

        yield run
        asked.close()


def _answer(server: str) -> None:
    session = SparkSession.builder.remote(server).getOrCreate()
    for text in sys.stdin:
        print(_seconds(session, text.strip()), flush=True)


def _seconds(session: SparkSession, text: str) -> float:
    begin = time.perf_counter()
    session.sql(text).collect()
    return time.perf_counter() - begin


if __name__ == "__main__":
    kind, *_ = sys.argv[1:]
    if kind.startswith("sc://"):
        _answer(kind)
    else:
        print("RESULT", json.dumps(measure(int(kind))))
