"""What all tests share: one Spark session a test process, made when the first test asks for it."""

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_timeout
from xdist.scheduler import LoadScopeScheduling

from tests import class_archive
from tests.parts import EVERYTHING, PARTS, has, in_order, scope_of
from tests.patience import patient

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent

# Times in results must not depend on the machine.
os.environ["TZ"] = "UTC"

# A shell's background job ignores interrupts, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class_archive.use()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run choose its part of the tests; without a word it takes all that it is given."""
    parser.addoption("--part", choices=PARTS, default=EVERYTHING, help="see tests/parts.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the run's part, longest first."""
    part = config.getoption("part")
    kept, left_out = [], []
    for item in items:
        (kept if has(part, item) else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept if config.getoption("randomly_seed", None) else in_order(kept, part)


def pytest_configure(config: pytest.Config) -> None:
    """Let PySpark before 4.2 leave the sockets of collected rows to the garbage collector."""
    line = tuple(int(part) for part in version("pyspark").split(".")[:2])
    if line < (4, 2):
        config.addinivalue_line("filterwarnings", "ignore:unclosed <socket:ResourceWarning")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how to run again what failed."""
    outcomes = terminalreporter.stats
    reports = [*outcomes.get("failed", ()), *outcomes.get("error", ())]
    failed = dict.fromkeys(report.nodeid for report in reports)
    if failed:
        names = " ".join(map(shlex.quote, failed))
        terminalreporter.section("to run again what failed")
        terminalreporter.line(f"{os.path.relpath(sys.executable)} -m pytest {names}")


class ByScope(LoadScopeScheduling):
    """Shares out scopes among processes, in the order in which they come."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid, self.config.getoption("part"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Share tests out among processes by what they have in common."""
    return ByScope(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> object:
    """Let a test take longer while the machine has much to do."""
    patiently = settings._replace(timeout=patient(settings.timeout))
    return pytest_timeout.pytest_timeout_set_timer(item, patiently)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """A session that speaks Delta, with a warehouse of its own."""
    from pyspark.sql import SparkSession

    import puredelta

    warehouse = tmp_path_factory.mktemp("warehouse")
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("puredelta tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(warehouse))
    )
    session = puredelta.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def table_name(spark: "SparkSession", request: pytest.FixtureRequest) -> Iterator[str]:
    """A name that no other test has; its table is dropped afterwards."""
    name = "t_" + "".join(c if c.isalnum() else "_" for c in request.node.name.lower())[:60]
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    warehouse = spark.conf.get("spark.sql.warehouse.dir", "").removeprefix("file:")
    shutil.rmtree(Path(warehouse) / name, ignore_errors=True)


@pytest.fixture(autouse=True)
def _session_as_it_was(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test says to the session that all share is not heard by the next: settings, views."""
    if "spark" not in request.fixturenames:
        yield
        return
    session = request.getfixturevalue("spark")
    settings = session.conf._jconf.getAll()
    views = _views(session)
    yield
    now = session.conf._jconf.getAll()
    if not now.equals(settings):
        _set_back(session, settings, now)
    for view in _views(session) - views:
        session.catalog.dropTempView(view)


def _items_of(found: Any) -> list[Any]:
    # Imported late: most tests need no Spark.
    from puredelta.engine.bridge.handles import items_of

    return items_of(found)


def _views(session: "SparkSession") -> set[str]:
    catalog = session._jsparkSession.sessionState().catalog()
    return {view.identifier() for view in _items_of(catalog.listLocalTempViews("*"))}


def _set_back(session: "SparkSession", settings: Any, now: Any) -> None:
    for name in _names_of_others(now, settings) - _names_of_others(settings, now):
        session.conf.unset(name)
    for pair in _items_of(settings.toSet().diff(now.toSet())):
        session.conf.set(pair._1(), pair._2())


def _names_of_others(some: Any, others: Any) -> set[str]:
    """The names of settings that some have, and others have not or with another value."""
    return {pair._1() for pair in _items_of(some.toSet().diff(others.toSet()))}
