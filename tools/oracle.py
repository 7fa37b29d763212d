"""Run statements or a script on the reference implementation: delta-spark 4.4.0 on PySpark 4.2.0.

    oracle.py sql "CREATE TABLE ..." "DESCRIBE ..."   each statement's schema and rows, or its
                                                      error, as JSON lines
    oracle.py exec SCRIPT.py [ARGS...]                SCRIPT.py runs with `spark` defined
    oracle.py setup                                   only install what it needs

It keeps an environment and a warehouse of its own ($ORACLE_HOME, else one for its version in
~/.cache).
The JARs come with Maven; where there is no `mvn`, Spark's own Ivy fetches them. Nothing of the
package depends on it: it is for finding out what the reference does, and for tests that read each
other's tables.
"""

import json
import os
import runpy
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

VERSION = "4.4.0"
PYSPARK = "4.2.0"
MAIN_ARTIFACT = "delta-spark_4.2_2.13"
ARTIFACTS = (
    MAIN_ARTIFACT,
    "delta-storage",
    "delta-kernel-api",
    "delta-kernel-defaults",
    "delta-kernel-unitycatalog",
)
# What Spark has already; Ivy would fetch all of it once more.
PROVIDED = (
    "com.fasterxml.jackson.*:*",
    "org.apache.*:*",
    "org.apache.*.*:*",
    "org.roaringbitmap:*",
    "org.slf4j:*",
)
COMMANDS = ("sql", "exec", "setup")

home = Path(os.environ.get("ORACLE_HOME") or Path.home() / ".cache" / f"delta-oracle-{VERSION}")
maven_repository = Path.home() / ".m2" / "repository" / "io" / "delta"


def main() -> None:
    """Run the command line that the top of the file shows."""
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    if os.environ.get("ORACLE_INSIDE") != "1":
        run_inside(set_up())
        return
    spark = start_session()
    if sys.argv[1] == "exec":
        sys.argv = sys.argv[2:]
        runpy.run_path(sys.argv[0], init_globals={"spark": spark}, run_name="__main__")
        return
    for text in sys.argv[2:]:
        print(json.dumps(answer(spark, text), default=str), flush=True)


def run_inside(python: Path) -> None:
    """Become the same command in the oracle's own environment."""
    if sys.argv[1] == "setup":
        return
    settings = {"ORACLE_INSIDE": "1", "PYSPARK_PYTHON": str(python)}
    command = [str(python), str(Path(__file__).resolve()), *sys.argv[1:]]
    os.execve(python, command, {**os.environ, **settings})


def set_up() -> Path:
    """Make the environment when it is not there, and return its Python."""
    python = home / "venv" / "bin" / "python"
    if not (home / "ready").is_file():
        home.mkdir(parents=True, exist_ok=True)
        venv.create(home / "venv", with_pip=True, clear=True)
        wanted = [f"pyspark=={PYSPARK}", "pyarrow", "pandas<3", "deltalake"]
        command = [str(python), "-m", "pip", "install", "--quiet", *wanted]
        subprocess.run(command, check=True, stdout=sys.stderr)
        jar_settings()
        (home / "ready").touch()
    return python


def jar_settings() -> dict[str, str]:
    """Say which setting brings the reference's JARs into a session."""
    found = [maven_repository / name / VERSION / f"{name}-{VERSION}.jar" for name in ARTIFACTS]
    if not found[0].is_file():
        if shutil.which("mvn") is None:
            return {
                "spark.jars.packages": f"io.delta:{MAIN_ARTIFACT}:{VERSION}",
                "spark.jars.excludes": ",".join(PROVIDED),
            }
        artifact = f"-Dartifact=io.delta:{MAIN_ARTIFACT}:{VERSION}"
        subprocess.run(["mvn", "-q", "dependency:get", artifact], check=True, stdout=sys.stderr)
    return {"spark.jars": ",".join(str(jar) for jar in found if jar.is_file())}


def start_session() -> Any:
    """Start a session of the reference, tuned for small tables."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  only inside the oracle's environment

    settings = {
        **jar_settings(),
        # With Spark's own 1 GB a long run spends its time collecting garbage.
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.warehouse.dir": os.environ.get("ORACLE_WAREHOUSE", str(home / "warehouse")),
    }
    builder = SparkSession.builder.appName("oracle")
    builder = builder.master(os.environ.get("ORACLE_MASTER", "local[2]"))
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def answer(spark: Any, text: str) -> dict[str, Any]:
    """Run a statement and say what came of it."""
    try:
        frame = spark.sql(text)
        rows = [row.asDict(recursive=True) for row in frame.collect()]
    except Exception as error:  # noqa: BLE001  every error is an answer here
        return {
            "sql": text,
            "error": type(error).__name__,
            "condition": getattr(error, "getCondition", lambda: None)(),
            "message": str(error).split("\nJVM stacktrace")[0][:2000],
        }
    return {"sql": text, "schema": frame.schema.simpleString(), "rows": rows}


if __name__ == "__main__":
    main()
