"""Executors in processes of their own: local-cluster, and a standalone cluster."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from puredelta.log import open_table
from tests.ways.programs import SPARK_HOME, environment, run, run_python

# Each starts a cluster.
pytestmark = pytest.mark.rest

STATEMENTS = """
CREATE TABLE t (id BIGINT, v STRING) USING delta;
INSERT INTO t SELECT /*+ REPARTITION(4) */ id, concat('v', id) FROM range(1000);
DELETE FROM t WHERE id % 2 = 0;
MERGE INTO t USING (SELECT id, 'new' v FROM range(999, 1003)) s ON t.id = s.id
  WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
OPTIMIZE t;
SELECT 'rows', count(*), count_if(v = 'new') FROM t;
"""

JOB = """
import sys
from pyspark.sql import SparkSession
from puredelta import DeltaTable

spark = SparkSession.builder.getOrCreate()
spark.range(0, 100, 1, 4).write.format("delta").save(sys.argv[1])
table = DeltaTable.forPath(spark, sys.argv[1])
table.delete("id < 10")
print("rows:", table.toDF().count())
"""


def statements(folder: Path) -> list[str]:
    script = folder / "statements.sql"
    script.write_text(STATEMENTS)
    return ["-f", str(script)]


@contextmanager
def started(folder: Path, kind: str, *arguments: str, announces: str) -> Iterator[str]:
    """Start a process of a standalone cluster; yield what it says of itself."""
    program = [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
    log = folder / f"{kind}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*program, *arguments], stdout=output, stderr=output, cwd=folder, env=environment()
        )
    try:
        end = time.monotonic() + 60
        while not (found := re.search(announces, log.read_text())):
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        yield found[1]
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def cluster(tmp_path) -> Iterator[str]:
    """The URL of a standalone cluster with two executors."""
    ports = ["--port", "0", "--webui-port", "0"]
    of_master = ["--host", "127.0.0.1", *ports]
    with started(tmp_path, "master.Master", *of_master, announces=r"master at (\S+)") as url:
        of_worker = [*of_master, "--cores", "2", "--memory", "2g", "--work-dir", str(tmp_path), url]
        done = r"(registered) with master"
        with started(tmp_path, "worker.Worker", *of_worker, announces=f"(?i){done}"):
            yield url


def on(master: str) -> dict[str, str]:
    return {"spark.master": master, "spark.executor.memory": "1g", "spark.executor.cores": "1"}


def test_shell_on_executors_of_their_own(tmp_path):
    done = run("spark-sql", statements(tmp_path), tmp_path, on("local-cluster[2,1,1024]"))

    assert done.stdout.splitlines()[-1] == "rows\t503\t4", done.stderr


def test_shell_on_a_standalone_cluster(tmp_path, cluster):
    done = run("spark-sql", statements(tmp_path), tmp_path, on(cluster))

    assert done.stdout.splitlines()[-1] == "rows\t503\t4", done.stderr


def test_job_on_a_standalone_cluster(tmp_path, cluster):
    job = tmp_path / "job.py"
    job.write_text(JOB)
    arguments = [str(job), str(tmp_path / "table")]

    done = run("spark-submit", arguments, tmp_path, on(cluster), PYSPARK_PYTHON=sys.executable)

    assert "rows: 90" in done.stdout.splitlines(), done.stderr


JAVA_JOB = """
import org.apache.spark.sql.classic.SparkSession;

public class Job {
  public static void main(String[] path) {
    SparkSession spark = (SparkSession) org.apache.spark.sql.SparkSession.builder().getOrCreate();
    spark.range(0, 100, 1, 4).write().format("delta").save(path[0]);
    spark.sql("DELETE FROM delta.`" + path[0] + "` WHERE id < 10");
    spark.stop();
  }
}
"""

COMPILE = """
import sys, zipfile
from puredelta.engine.bridge.compiler import compile_java
from pyspark.java_gateway import launch_gateway

text, target = sys.argv[1:]
with zipfile.ZipFile(target, "w") as jar:
    for name, content in compile_java(launch_gateway(), {"Job.java": text}).items():
        jar.writestr(name, content)
"""


def test_driver_in_a_process_of_the_cluster(tmp_path, cluster):
    jar, table = tmp_path / "job.jar", tmp_path / "table"
    compiled = run_python(COMPILE, JAVA_JOB, jar)
    assert jar.exists(), compiled.stderr
    conf = {
        **on(cluster),
        "spark.submit.deployMode": "cluster",
        "spark.driver.memory": "600m",
        "spark.standalone.submit.waitAppCompletion": "true",
    }

    done = run("spark-submit", ["--class", "Job", str(jar), str(table)], tmp_path, conf)

    history = open_table(table).history() if table.exists() else []
    assert [entry["operation"] for entry in history] == ["DELETE", "WRITE"], done.stderr
