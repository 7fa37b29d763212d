"""The plugin of pytest, in projects of users: real runs of pytest in processes of their own."""

import re
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

from puredelta.engine.bridge.environment import cache_folder
from tests.environments import ROOT, read_project

pytest_plugins = "pytester"

PROJECT = Path(__file__).with_name("project.py")
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
    pytester.makepyfile(test_project=PROJECT.read_text("utf-8"))

    run().assert_outcomes(passed=5)


def test_session_of_a_project_is_used(run, pytester):
    session = """
        import pytest
        from pyspark.sql import SparkSession

        @pytest.fixture(scope="session")
        def spark():
            builder = SparkSession.builder.master("local[1]").appName("theirs")
            session = builder.config("spark.ui.enabled", "false").getOrCreate()
            yield session
            session.stop()
        """
    pytester.makeconftest(dedent(session) + blocks_of_the_page("own session")["conftest.py"])
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
