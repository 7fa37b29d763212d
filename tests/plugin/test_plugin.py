"""The plugin of pytest, in projects of users: real runs of pytest in processes of their own."""

import re
from importlib import import_module

import pytest

from puredelta.engine.bridge.environment import cache_folder
from tests.environments import ROOT, read_project

pytest_plugins = "pytester"

PAGE = ROOT / "docs/how-to/test-your-tables.md"
# A block of the page that belongs into a file of a project says so in its first line.
FILE = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```", re.MULTILINE | re.DOTALL)

# The folder of the real user: pytester gives its runs another home.
ADAPTERS = cache_folder()


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest in the folder of a project, with this plugin and no others."""
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(ADAPTERS))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run_pytest(*arguments):
        options = ("-p", "puredelta.pytest_plugin", "-W", "error", "-p", "no:cacheprovider")
        return pytester.runpytest_subprocess(*options, *arguments)

    return run_pytest


def test_pytest_finds_the_plugin_by_its_entry_point():
    declared = read_project(ROOT)["entry-points"]["pytest11"]

    assert list(declared) == ["puredelta"]
    assert callable(import_module(declared["puredelta"]).delta_table)


def test_project_that_uses_no_fixture_loads_nothing(run, pytester):
    pytester.makepyfile(
        """
        import sys

        def test_nothing_is_loaded():
            ours = {name for name in sys.modules if name.split(".")[0] == "puredelta"}
            assert ours == {"puredelta", "puredelta.pytest_plugin"}
            assert not {"pyspark", "pyarrow", "pandas", "numpy"} & set(sys.modules)
        """
    )

    run().assert_outcomes(passed=1)


def test_fixtures_are_listed_with_what_they_are(run):
    shown = run("--fixtures").stdout.str()

    for line in (
        r"puredelta_spark \[session scope\] -- .*\n +A Spark session that speaks Delta",
        r"puredelta_spark_conf \[session scope\] -- .*\n +Settings of the session",
        r"delta_table -- .*\n +Makes Delta tables",
    ):
        assert re.search(line, shown), shown


def test_tables_are_compared_without_spark(run, pytester):
    pytester.makepyfile(
        """
        import sys
        from puredelta.testing import assert_table_equal

        def test_rows():
            assert_table_equal([{"id": 1, "v": 0.5}], [{"id": 1, "v": None}])

        def test_no_spark():
            assert "pyspark" not in sys.modules
        """
    )

    result = run()

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*assert_table_equal(*",
            "E*AssertionError: The tables differ: 1 row found, 1 expected.",
            "E*Rows:",
            "E*changed  id=1; v: expected null, found 0.5",
            "*test_tables_are_compared_without_spark.py:5: AssertionError",
        ]
    )
    assert "comparison.py" not in result.stdout.str()


def test_setting_without_a_value_is_refused(run, pytester):
    pytester.makeini("[pytest]\npuredelta_spark_conf = spark.master")
    pytester.makepyfile("def test_session(puredelta_spark): pass")

    result = run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E*needs lines of `name = value`, not 'spark.master'"])


def test_session_has_the_settings_of_the_project(run, pytester):
    pytester.makeini(
        """
        [pytest]
        puredelta_spark_conf =
            spark.sql.shuffle.partitions = 3
            spark.app.name = ours
        """
    )
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def puredelta_spark_conf():
            return {"spark.app.name": "mine", "spark.sql.session.timeZone": "Asia/Tokyo"}
        """
    )
    pytester.makepyfile(
        """
        import os
        from pathlib import Path
        import pyarrow as pa
        import pyarrow.parquet as pq
        import pytest
        import puredelta
        from puredelta.testing import assert_history, assert_table_equal, conflicting_commit
        from puredelta.exceptions import MetadataChangedException

        ROWS = [{"id": 1, "v": "a"}, {"id": 2, "v": None}]

        def test_settings(puredelta_spark):
            conf = puredelta_spark.conf
            assert conf.get("spark.sql.shuffle.partitions") == "3"
            assert conf.get("spark.app.name") == "mine"
            assert conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
            assert conf.get("spark.ui.enabled") == "false"
            assert conf.get("spark.master") == "local[2]"

        def test_forms_of_rows(puredelta_spark, delta_table, tmp_path):
            arrow = pa.Table.from_pylist(ROWS)
            pq.write_table(arrow, tmp_path / "rows.parquet")
            frame = puredelta_spark.createDataFrame([(1, "a"), (2, None)], "id BIGINT, v STRING")
            for rows in (ROWS, arrow, arrow.to_pandas(), tmp_path / "rows.parquet", frame):
                table = delta_table(rows)
                for other in (ROWS, arrow, frame, table, table.toDF().collect()):
                    assert_table_equal(table, other)
                assert_history(table, [("WRITE", {"numOutputRows": 2})])

        def test_options(delta_table, tmp_path):
            day = "2026-01-0"
            rows = [(1, day + "1"), (2, day + "2"), (3, day + "2")]
            table = delta_table(
                rows,
                "id INT, day STRING",
                partition_by="day",
                properties={"delta.enableChangeDataFeed": "true"},
                name="flights",
            )
            detail = table.detail().first()
            assert detail.partitionColumns == ["day"]
            assert detail.properties["delta.enableChangeDataFeed"] == "true"
            assert detail.numFiles == 2
            assert_table_equal(table, rows)
            assert_table_equal(delta_table([], "id INT"), [])
            with pytest.raises(ValueError, match="need a schema"):
                delta_table([(1, 2)])

        def test_named_table_is_gone(puredelta_spark, tmp_path):
            assert not puredelta_spark.catalog.tableExists("flights")
            warehouse = Path(puredelta_spark.conf.get("spark.sql.warehouse.dir"))
            assert warehouse.parent.name.startswith("pytest-") or warehouse.parents[1]
            assert not (Path.cwd() / "spark-warehouse").exists()

        def test_other_writer(delta_table):
            table = delta_table(ROWS)
            with conflicting_commit(table), pytest.raises(MetadataChangedException):
                table.delete("id = 1")
            with conflicting_commit(table, lambda: table.delete("id = 2")):
                table.delete("id = 1", retry=2)
            assert_table_equal(table, [], check_types=False)
            names = ["WRITE", "SET TBLPROPERTIES", "DELETE", "DELETE"]
            assert_history(table, names)
        """
    )

    run().assert_outcomes(passed=5)


def test_session_of_a_project_is_used(run, pytester):
    pytester.makeconftest(
        """
        import pytest
        from pyspark.sql import SparkSession

        @pytest.fixture(scope="session")
        def spark():
            builder = SparkSession.builder.master("local[1]").appName("theirs")
            session = builder.config("spark.ui.enabled", "false").getOrCreate()
            yield session
            session.stop()
        """
        + blocks_of_the_page("own session")["conftest.py"]
    )
    pytester.makepyfile(
        """
        def test_session(spark, delta_table):
            assert delta_table.spark.sparkContext is spark.sparkContext
            assert delta_table([{"id": 1}]).toDF().count() == 1
        """
    )

    run().assert_outcomes(passed=1)


def test_tests_of_the_page_pass(run, pytester):
    for name, text in blocks_of_the_page().items():
        pytester.path.joinpath(name).write_text(text, "utf-8")

    result = run("-v")

    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}
    assert outcomes["passed"] == PAGE.read_text("utf-8").count("\ndef test_")


def blocks_of_the_page(chapter=None):
    """The files of the page: of one chapter, or of all that have no conftest.py of their own."""
    files = {}
    for text in PAGE.read_text("utf-8").split("\n## "):
        is_own = "own session" in text.partition("\n")[0]
        if is_own if chapter else not is_own:
            for name, block in FILE.findall(text):
                files[name] = files.get(name, "") + block
    return files
