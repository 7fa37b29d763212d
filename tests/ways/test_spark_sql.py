"""The `spark-sql` shell, whose JVM no Python started: a process beside it runs the statements."""

import sys

import pytest

from tests.ways.programs import run

STATEMENTS = """
CREATE TABLE t (id BIGINT, v STRING) USING delta;
INSERT INTO t VALUES (1, 'a'), (2, 'b');
DELETE FROM t WHERE id = 1;
ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0);
MERGE INTO t USING (SELECT 2L id, 'z' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *;
SELECT id, v FROM t;
INSERT INTO t VALUES (-1, 'q');
"""


def test_statements_of_a_shell(tmp_path):
    script = tmp_path / "statements.sql"
    script.write_text(STATEMENTS)

    done = run("spark-sql", ["-f", str(script)], tmp_path)

    assert done.stdout.splitlines()[-1] == "2\tz", done.stderr
    assert "[DELTA_VIOLATE_CONSTRAINT_WITH_VALUES] CHECK constraint positive" in done.stderr


@pytest.mark.rest
@pytest.mark.parametrize(
    ("python", "reason"),
    [
        ("/no/such/python", "No such file or directory"),
        (f"{sys.base_prefix}/bin/python3", "No module named"),
    ],
)
def test_python_that_cannot_answer_is_named(tmp_path, python, reason):
    done = run(
        "spark-sql",
        ["-e", "SELECT 1"],
        tmp_path,
        conf={"spark.puredelta.python": python},
        PYTHONPATH="",
    )

    assert "[PUREDELTA_SIDECAR_NOT_STARTED] Delta statements need a Python" in done.stderr
    assert reason in done.stderr
    assert python in done.stderr


@pytest.mark.rest
def test_process_that_is_killed_is_started_again(tmp_path):
    kill = tmp_path / "kill.sh"
    # The shell is its parent; other tests have processes of their own.
    kill.write_text("pkill -9 -P $PPID -f puredelta.sidecar; sleep 1\n")
    script = tmp_path / "statements.sql"
    script.write_text(
        "CREATE TABLE t (id BIGINT) USING delta;\n"
        "INSERT INTO t VALUES (1);\n"
        f"!sh {kill};\n"
        "INSERT INTO t VALUES (2);\n"
        "INSERT INTO t VALUES (3);\n"
        "SELECT id FROM t ORDER BY id;\n"
    )

    done = run("spark-sql", ["-f", str(script)], tmp_path)

    assert "3" in done.stdout.splitlines(), done.stderr
