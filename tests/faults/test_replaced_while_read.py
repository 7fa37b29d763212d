"""A table is replaced again and again while another process reads it: there is always one table."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import puredelta.log
from tests.faults.spark_replacer import replacement, rows_of

SCRIPT = Path(__file__).parent / "spark_replacer.py"
TIMES = 20


def test_a_reader_finds_each_time_one_whole_generation(spark, tmp_path):
    path = str(tmp_path / "t")
    seen = []
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), path, str(TIMES)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "made\n"
        while process.poll() is None:
            rows = spark.table(f"delta.`{path}`").collect()
            generations = {row.generation for row in rows}
            assert len(generations) == 1
            (generation,) = generations
            found = sorted((row.id, row.part) for row in rows)
            assert found == [(number, number % 3) for number in range(rows_of(generation))]
            seen.append(generation)
        assert process.returncode == 0

    assert seen == sorted(seen)
    assert len(set(seen)) > 3
    log = puredelta.log.open_table(path)
    assert [row["version"] for row in log.history()] == list(range(TIMES, -1, -1))
    old = spark.read.format("delta").option("versionAsOf", TIMES // 2).load(path)
    assert old.count() == rows_of(TIMES // 2)


def test_threads_of_one_session_find_one_whole_generation(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(replacement(path, 0))
    done = threading.Event()

    def read():
        counts = []
        while not done.is_set():
            rows = spark.sql(f"SELECT * FROM delta.`{path}`").collect()
            counts.append((len(rows), {rows_of(row.generation) for row in rows}))
        return counts

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        for number in range(1, 8):
            spark.sql(replacement(path, number))
        done.set()
        counts = reader.result()

    assert all(wanted == {count} for count, wanted in counts)
