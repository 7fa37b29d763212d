"""`puredelta doctor` tells versions, cache and stores, and exits with 1 when something is wrong."""

import json

import pytest
from click.testing import CliRunner

from puredelta.cli.doctor import examine
from puredelta.cli.main import main


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Give a Spark of one's own whose JARs and settings a test may change."""
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    (home / "conf").mkdir()
    (home / "jars" / "hadoop-client-api-3.4.9.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(home))
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(tmp_path / "cache"))
    return home


def stores() -> dict[str, bool]:
    return {store["schemes"]: store["spark"] for store in examine()["objectStores"]}


def test_healthy_machine_exits_with_zero(machine):
    result = CliRunner().invoke(main, ["doctor"])

    assert result.exit_code == 0
    assert "no problem found" in result.output
    assert "PySpark" in result.output


def test_json_says_the_same(machine):
    result = CliRunner().invoke(main, ["doctor", "--json"])

    report = json.loads(result.output)
    assert report["problems"] == []
    assert set(report["versions"]) >= {"puredelta", "Python", "PySpark", "Java", "Arrow"}


def test_problem_is_printed_with_its_remedy_and_exits_with_one(machine):
    (machine / "jars" / "delta-spark_2.13-4.0.0.jar").touch()

    result = CliRunner().invoke(main, ["doctor"])

    assert result.exit_code == 1
    assert "delta-spark_2.13-4.0.0.jar" in result.output
    assert "remedy: Remove them there" in result.output


def test_store_is_ready_once_its_hadoop_module_is_there(machine):
    assert stores() == {"s3": False, "az, abfss": False, "gs": False}

    (machine / "jars" / "hadoop-aws-3.4.9.jar").touch()
    conf = machine / "conf" / "spark-defaults.conf"
    conf.write_text("spark.jars.packages org.apache.hadoop:hadoop-azure:3.4.9\n")

    assert stores() == {"s3": True, "az, abfss": True, "gs": False}


def test_module_is_advised_in_the_version_of_spark_s_hadoop(machine):
    packages = [store["package"] for store in examine()["objectStores"]]

    assert "org.apache.hadoop:hadoop-aws:3.4.9" in packages


def test_compiled_adapters_are_counted(machine, tmp_path):
    (tmp_path / "cache" / "4.3.0").mkdir(parents=True)
    (tmp_path / "cache" / "4.3.0" / "adapters.jar").write_bytes(b"12345")

    cache = examine()["cache"]

    assert cache["jars"] == ["4.3.0/adapters.jar"]
    assert cache["bytes"] == 5
