"""What the machine lacks is found without Spark, and told in one sentence and one remedy."""

from pathlib import Path

import pytest

from puredelta.engine.bridge import environment
from puredelta.engine.bridge.environment import Java, Problem
from puredelta.errors.classes import DeltaError


@pytest.fixture(autouse=True)
def clean_machine(monkeypatch, tmp_path):
    """Give a machine on which nothing of Spark is set."""
    for name in ("JAVA_HOME", "SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SPARK_REMOTE", "SPARK_API_MODE", "PUREDELTA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def make_java(home: Path, *, release: str | None = None, prints: str = "") -> Path:
    """Lay out a Java installation that tells its version in a file, or only when it runs."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{prints}' >&2\n")
    java.chmod(0o755)
    if release is not None:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{release}"\n')
    return java


def make_spark(home: Path, version: str = "4.1.4", jars: tuple[str, ...] = ()) -> Path:
    """Lay out a PySpark package with JARs."""
    (home / "jars").mkdir(parents=True)
    for jar in jars:
        (home / "jars" / jar).touch()
    (home / "__init__.py").touch()
    (home / "version.py").write_text(f'# made by the build\n__version__: str = "{version}"\n')
    return home


def conditions() -> list[str]:
    return [problem.condition for problem in environment.check_environment()]


def test_java_of_java_home_tells_its_version_in_a_file(monkeypatch, tmp_path):
    java = make_java(tmp_path / "jdk", release="21.0.4")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))

    assert environment.find_java() == Java(path=java, version="21.0.4")


def test_java_without_that_file_is_asked(monkeypatch, tmp_path):
    java = make_java(tmp_path / "jdk", prints='openjdk version "17.0.15" 2025-04-15')
    monkeypatch.setenv("PATH", str(java.parent))

    assert environment.find_java() == Java(path=java, version="17.0.15")


@pytest.mark.parametrize(
    ("version", "major"),
    [("17.0.15", 17), ("21", 21), ("1.8.0_292", 8), ("25-ea", 25), ("", 0)],
)
def test_major_version_of_java(version, major):
    assert Java(path=Path("java"), version=version).major == major


def test_no_java_names_where_it_was_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))

    problem = environment.check_environment()[0]

    assert problem.condition == "PUREDELTA_JAVA_MISSING"
    assert str(tmp_path / "gone") in problem.text
    assert "apt-get install" in problem.remedy


def test_old_java_is_named_with_its_version(monkeypatch, tmp_path):
    make_java(tmp_path / "jdk", release="11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))

    problem = environment.check_environment()[0]

    assert problem.condition == "PUREDELTA_JAVA_TOO_OLD"
    assert "11.0.2" in problem.text


@pytest.mark.parametrize("version", ["3.5.7", "2.4"])
def test_old_pyspark_is_named_with_its_version(monkeypatch, tmp_path, version):
    home = make_spark(tmp_path / "pyspark", version)
    monkeypatch.setattr(environment, "pyspark_folder", lambda: home)

    problem = environment.check_environment()[0]

    assert problem.condition == "PUREDELTA_PYSPARK_TOO_OLD"
    assert version in problem.text


def test_missing_pyspark_names_this_python(monkeypatch):
    monkeypatch.setattr(environment, "pyspark_folder", lambda: None)

    assert "PUREDELTA_PYSPARK_MISSING" in conditions()


@pytest.mark.parametrize("version", ["4.0.0", "4.3.0", "5.0.0.dev1", "10.1.0"])
def test_new_pyspark_is_no_problem(monkeypatch, tmp_path, version):
    home = make_spark(tmp_path / "pyspark", version)
    monkeypatch.setattr(environment, "pyspark_folder", lambda: home)

    assert conditions() == []


def test_client_of_connect_needs_no_java_and_starts_nothing(monkeypatch, tmp_path):
    home = make_spark(tmp_path / "pyspark")
    (home / "sql/connect").mkdir(parents=True)
    monkeypatch.setattr(environment, "pyspark_folder", lambda: home)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))

    assert conditions() == ["PUREDELTA_PYSPARK_CLIENT"]

    (home / "core").mkdir()
    assert conditions() == ["PUREDELTA_JAVA_MISSING"]


def test_package_delta_that_went_with_delta_spark_is_missed(monkeypatch):
    installed = {"puredelta-as-delta": "0.1.0"}
    monkeypatch.setattr(environment, "distribution_version", installed.get)
    monkeypatch.setattr(environment.importlib.util, "find_spec", {}.get)
    monkeypatch.setattr(environment, "pyspark_version", lambda: "4.3.0")

    assert "PUREDELTA_DELTA_PACKAGE_GONE" in conditions()


def test_delta_jar_among_those_of_spark_clashes(monkeypatch, tmp_path):
    jars = ("delta-spark_2.13-4.0.0.jar", "delta-storage-4.0.0.jar", "spark-core_2.13-4.1.4.jar")
    home = make_spark(tmp_path / "spark", jars=jars)
    monkeypatch.setenv("SPARK_HOME", str(home))

    assert environment.clashing_jars() == [str(home / "jars" / jars[0])]
    assert conditions() == ["PUREDELTA_CLASHING_DELTA_JARS"]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (
            "spark.jars.packages a:b:1,io.delta:delta-spark_2.13:4.0.0",
            "io.delta:delta-spark_2.13:4.0.0 (spark.jars.packages)",
        ),
        (
            "spark.jars = /x/other.jar,/x/delta-core_2.12-2.4.0.jar",
            "/x/delta-core_2.12-2.4.0.jar (spark.jars)",
        ),
    ],
)
def test_delta_jar_in_the_defaults_clashes(monkeypatch, tmp_path, line, place):
    (tmp_path / "spark-defaults.conf").write_text(f"# io.delta:delta-spark_x:1\n\n{line}\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))

    assert environment.clashing_jars() == [place]


def test_delta_package_on_the_launcher_s_command_line_clashes(monkeypatch):
    submit = "--packages io.delta:delta-spark_2.13:4.0.0,a:b:1 pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", submit)

    assert environment.clashing_jars() == ["io.delta:delta-spark_2.13:4.0.0 (PYSPARK_SUBMIT_ARGS)"]


def test_installed_delta_spark_is_a_problem_that_stops_nothing(monkeypatch):
    known = environment.distribution_version
    monkeypatch.setattr(
        environment,
        "distribution_version",
        lambda name: "4.0.0" if name == "delta-spark" else known(name),
    )

    assert conditions() == ["PUREDELTA_DELTA_SPARK_INSTALLED"]
    assert environment.explain_launch_failure() is None


def test_connect_session_is_refused(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")

    assert conditions() == ["PUREDELTA_CONNECT_SESSION"]


def test_cache_folder_follows_the_environment(monkeypatch, tmp_path):
    assert environment.cache_folder() == tmp_path / "home" / ".cache" / "puredelta"

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert environment.cache_folder() == tmp_path / "home" / ".cache" / "puredelta"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert environment.cache_folder() == tmp_path / "xdg" / "puredelta"

    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(tmp_path / "chosen"))
    assert environment.cache_folder() == tmp_path / "chosen"


def test_cache_folder_that_does_not_exist_yet_is_usable(tmp_path):
    assert environment.why_cache_is_unusable(tmp_path / "a" / "b") is None


def test_cache_folder_of_another_user_is_not_used(monkeypatch, tmp_path):
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(environment.os, "getuid", lambda: owner + 1)

    assert environment.why_cache_is_unusable(tmp_path) == "it belongs to another user"


def test_file_in_place_of_the_cache_folder_is_reported(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(tmp_path / "file" / "cache"))

    problem = environment.check_environment()[-1]

    assert problem.condition == "PUREDELTA_CACHE_UNUSABLE"
    assert "is not a folder" in problem.text
    assert "PUREDELTA_CACHE_DIR" in problem.remedy


def test_launch_failure_is_explained_in_the_words_of_doctor(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    problem = environment.check_environment()[0]

    error = environment.explain_launch_failure()

    assert isinstance(error, DeltaError)
    assert error.condition == problem.condition
    assert error.message == f"{problem.text}\n{problem.remedy}"


def test_healthy_machine_has_nothing_to_explain():
    assert environment.check_environment() == []
    assert environment.explain_launch_failure() is None


def test_what_stops_a_session_comes_first(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))

    assert conditions() == ["PUREDELTA_JAVA_MISSING", "PUREDELTA_CACHE_UNUSABLE"]


def test_every_problem_has_one_line_for_the_fault_and_one_for_the_remedy():
    problem = Problem(condition="PUREDELTA_CONNECT_SESSION")

    assert problem.fatal
    assert problem.text != problem.remedy
    assert "\n" not in problem.text + problem.remedy
