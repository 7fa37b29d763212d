"""Whether this machine has what a session needs: Java, PySpark, a cache folder, no clashing JARs.

Nothing here imports PySpark or starts a JVM, so that `puredelta doctor` answers where Spark cannot
start, and a session that fails to start can say why in the same words.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from puredelta.engine.bridge.private_folder import why_not_private
from puredelta.errors.classes import DeltaError, DeltaRuntimeError
from puredelta.errors.render import render

OLDEST_JAVA = 17
OLDEST_PYSPARK = (4, 0)

# What stops a session; the other problems only cost time or clarity.
_FATAL = frozenset(
    {
        "PUREDELTA_JAVA_MISSING",
        "PUREDELTA_JAVA_TOO_OLD",
        "PUREDELTA_PYSPARK_MISSING",
        "PUREDELTA_PYSPARK_TOO_OLD",
        "PUREDELTA_PYSPARK_CLIENT",
        "PUREDELTA_CLASHING_DELTA_JARS",
        "PUREDELTA_CONNECT_SESSION",
    }
)

# `delta-core` was the name before Delta 3. `delta-storage` alone registers no data source.
_DELTA_JAR = re.compile(r"delta-(spark|core)_[\w.-]*\.jar$")
_DELTA_PACKAGE = re.compile(r"io\.delta:delta-(?:spark|core)_[^,\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something on this machine that keeps puredelta from working, or from working well."""

    condition: str
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What is wrong."""
        return render(self.condition, self.parameters).strip().splitlines()[0]

    @property
    def remedy(self) -> str:
        """The one line that says what to do about it."""
        return render(self.condition, self.parameters).strip().splitlines()[-1]

    @property
    def fatal(self) -> bool:
        """Whether no session can start."""
        return self.condition in _FATAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """The Java that Spark's launcher would take."""

    path: Path
    version: str

    @property
    def major(self) -> int:
        """17 for "17.0.15", 8 for "1.8.0_292", 0 where the version could not be read."""
        numbers = [int(n) for n in re.findall(r"\d+", self.version)]
        if not numbers:
            return 0
        return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def check_environment() -> list[Problem]:
    """Return the problems of this machine, fatal ones first; an empty list when all is well."""
    found = [
        *_pyspark_problems(),
        *(() if is_only_client() else _problems_of_driver()),
        *_distribution_problems(),
        *_cache_problems(),
    ]
    return sorted(found, key=lambda problem: not problem.fatal)


def _problems_of_driver() -> Iterator[Problem]:
    yield from _java_problems()
    yield from _jar_problems()
    yield from _connect_problems()


def explain_launch_failure() -> DeltaError | None:
    """Turn the first problem that keeps a session from starting into the error to raise."""
    first = next((problem for problem in check_environment() if problem.fatal), None)
    return DeltaRuntimeError(first.condition, **first.parameters) if first else None


# ------------------------------------------------------------------------------------------- Java


def find_java() -> Java | None:
    """Find the Java that Spark would start: that of JAVA_HOME, else the one on the PATH."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home, "bin", "java")) if home else "java")
    if found is None:
        return None
    path = Path(found)
    return Java(path=path, version=_version_in_release(path) or _version_it_prints(path))


def _version_in_release(java: Path) -> str | None:
    # Every JDK and JRE says its version in a file beside bin/: reading it saves starting a JVM.
    release = java.resolve().parent.parent / "release"
    try:
        found = re.search(
            r'^JAVA_VERSION="([^"]+)"', release.read_text(encoding="utf-8"), re.MULTILINE
        )
    except (OSError, UnicodeDecodeError):
        return None
    return found[1] if found else None


def _version_it_prints(java: Path) -> str:
    try:
        done = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r'version "([^"]+)"', done.stderr + done.stdout)
    return found[1] if found else ""


def _java_problems() -> Iterator[Problem]:
    java = find_java()
    if java is None:
        home = os.environ.get("JAVA_HOME")
        place = f"in JAVA_HOME ({home})" if home else "on the PATH, and JAVA_HOME is not set"
        yield Problem(condition="PUREDELTA_JAVA_MISSING", parameters={"place": place})
    elif java.major < OLDEST_JAVA:
        facts = {"java": str(java.path), "version": java.version or "unknown"}
        yield Problem(condition="PUREDELTA_JAVA_TOO_OLD", parameters=facts)


# ---------------------------------------------------------------------------------------- PySpark


def pyspark_folder() -> Path | None:
    """Find the package that `import pyspark` would load, without loading it."""
    spec = importlib.util.find_spec("pyspark")
    return Path(spec.origin).parent if spec and spec.origin else None


def pyspark_version() -> str | None:
    """Read the version of the PySpark that would be imported.

    It is read from the package, not from the installed distribution: a Spark on the
    PYTHONPATH has none.
    """
    folder = pyspark_folder()
    if folder is None:
        return None
    try:
        text = (folder / "version.py").read_text(encoding="utf-8")
    except OSError:
        return distribution_version("pyspark")
    found = re.search(r"""^__version__[^=]*=\s*["']([^"']+)""", text, re.MULTILINE)
    return found[1] if found else distribution_version("pyspark")


def is_only_client() -> bool:
    """Say whether the PySpark that would be imported is that of `pyspark-client`, without a JVM."""
    folder = pyspark_folder()
    if folder is None or (folder / "core").is_dir():
        return False
    return (folder / "sql" / "connect").is_dir()


def distribution_version(name: str) -> str | None:
    """Read the version of an installed distribution, None when it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _pyspark_problems() -> Iterator[Problem]:
    version = pyspark_version()
    if version is None:
        facts = {"python": sys.executable}
        yield Problem(condition="PUREDELTA_PYSPARK_MISSING", parameters=facts)
    elif tuple(int(n) for n in re.findall(r"\d+", version)[:2]) < OLDEST_PYSPARK:
        facts = {"version": version}
        yield Problem(condition="PUREDELTA_PYSPARK_TOO_OLD", parameters=facts)
    if is_only_client():
        yield Problem(condition="PUREDELTA_PYSPARK_CLIENT")


def _connect_problems() -> Iterator[Problem]:
    if os.environ.get("SPARK_REMOTE") or os.environ.get("SPARK_API_MODE") == "connect":
        yield Problem(condition="PUREDELTA_CONNECT_SESSION")


# ------------------------------------------------------------------------------- delta-spark's JARs


def spark_home() -> Path | None:
    """Find the Spark that a session would start: SPARK_HOME, else the one inside PySpark."""
    home = os.environ.get("SPARK_HOME")
    return Path(home) if home else pyspark_folder()


def spark_jars() -> list[Path]:
    """List the JARs that every session of this Spark has."""
    home = spark_home()
    return sorted((home / "jars").glob("*.jar")) if home else []


def spark_version() -> str | None:
    """Read the version of the Spark that a session would start from the name of one of its JARs."""
    names = (re.fullmatch(r"spark-core_[\d.]+-(.+)\.jar", jar.name) for jar in spark_jars())
    return next((name[1] for name in names if name), None)


def spark_defaults() -> dict[str, str]:
    """Read spark-defaults.conf: what every session of this Spark is given."""
    home = spark_home()
    folder = os.environ.get("SPARK_CONF_DIR") or (home / "conf" if home else None)
    if folder is None:
        return {}
    try:
        lines = (Path(folder) / "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    # Spark reads it as Java properties: key, then `=`, `:` or white space, then the value.
    found = (re.match(r"\s*([^#\s=:]+)\s*[=:\s]\s*(.*)", line) for line in lines)
    return {match[1]: match[2].strip() for match in found if match}


def clashing_jars() -> list[str]:
    """Say where JARs of delta-spark would come from: a folder, a setting, the environment."""
    defaults = spark_defaults()
    listed = [name for name in defaults.get("spark.jars", "").split(",") if name.strip()]
    asked = _DELTA_PACKAGE.findall(defaults.get("spark.jars.packages", ""))
    submit = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    # The environment variable is a command line: `--packages` lists coordinates, `--jars` and class
    # paths list files.
    by_hand = [*_DELTA_PACKAGE.findall(submit), *(w for w in re.split(r"[\s,]+", submit) if w)]
    return [
        *(str(jar) for jar in spark_jars() if _DELTA_JAR.search(jar.name)),
        *(f"{name.strip()} (spark.jars)" for name in listed if _DELTA_JAR.search(name.strip())),
        *(f"{name} (spark.jars.packages)" for name in asked),
        *(
            f"{name} (PYSPARK_SUBMIT_ARGS)"
            for name in dict.fromkeys(by_hand)
            if _DELTA_JAR.search(name) or _DELTA_PACKAGE.fullmatch(name)
        ),
    ]


def _jar_problems() -> Iterator[Problem]:
    places = clashing_jars()
    if places:
        facts = {"places": ", ".join(places)}
        yield Problem(condition="PUREDELTA_CLASHING_DELTA_JARS", parameters=facts)


def _distribution_problems() -> Iterator[Problem]:
    version = distribution_version("delta-spark")
    if version is not None:
        yield Problem(condition="PUREDELTA_DELTA_SPARK_INSTALLED", parameters={"version": version})
    elif distribution_version("puredelta-as-delta") and importlib.util.find_spec("delta") is None:
        yield Problem(condition="PUREDELTA_DELTA_PACKAGE_GONE")


# ------------------------------------------------------------------------------------------ cache


def cache_folder() -> Path:
    """Say where compiled adapters are kept; the folder need not exist.

    It is $PUREDELTA_CACHE_DIR, else $XDG_CACHE_HOME/puredelta, else ~/.cache/puredelta.
    """
    chosen = os.environ.get("PUREDELTA_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    home = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return home / "puredelta"


def why_cache_is_unusable(folder: Path) -> str | None:
    """Say why adapters cannot be kept in a folder; None when they can.

    The JVM runs the code in it, so the folder has to be the user's own.
    """
    nearest = next(place for place in (folder, *folder.parents) if os.access(place, os.F_OK))
    if not nearest.is_dir():
        return f"{nearest} is not a folder"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"{nearest} is not writable"
    return why_not_private(folder)


def _cache_problems() -> Iterator[Problem]:
    folder = cache_folder()
    reason = why_cache_is_unusable(folder)
    if reason is not None:
        facts = {"folder": str(folder), "reason": reason}
        yield Problem(condition="PUREDELTA_CACHE_UNUSABLE", parameters=facts)
