"""R over JDBC, by rJava: a client that has neither Python nor SparkR."""

import shutil
import subprocess

import pytest

from tests.ways.programs import SPARK_HOME, environment

# A driver is started for it.
pytestmark = pytest.mark.rest

SCRIPT = """
arguments <- commandArgs(TRUE)
library(rJava)
.jinit(list.files(arguments[2], pattern = "[.]jar$", full.names = TRUE))
driver <- .jnew("org/apache/hive/jdbc/HiveDriver")
url <- paste0("jdbc:hive2://127.0.0.1:", arguments[1])
connection <- driver$connect(url, .jnew("java/util/Properties"))
statement <- connection$createStatement()
statement$execute("CREATE TABLE of_r (id BIGINT) USING delta")
statement$execute("INSERT INTO of_r VALUES (1), (2), (3)")
statement$execute("DELETE FROM of_r WHERE id = 2")
rows <- statement$executeQuery("SELECT count(*) FROM of_r")
rows$`next`()
cat("rows:", rows$getLong(1L), "\\n")
refused <- tryCatch(statement$execute("RESTORE TABLE of_r TO VERSION AS OF 9"),
  error = function(e) conditionMessage(e))
cat("refused:", grepl("DELTA_CANNOT_RESTORE_TABLE_VERSION", refused), "\\n")
"""


def has_r() -> bool:
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(rJava)"], check=False).returncode == 0


@pytest.mark.skipif(not has_r(), reason="no R with rJava: `apt install r-cran-rjava` brings both")
def test_r_reads_and_writes(ports, tmp_path):
    script = tmp_path / "client.R"
    script.write_text(SCRIPT)
    done = subprocess.run(
        ["Rscript", script, str(ports[1]), SPARK_HOME / "jars"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )

    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "rows: 2" in lines, done.stderr
    assert "refused: TRUE" in lines
