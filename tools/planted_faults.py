"""Plant small faults in the code, one at a time, and see whether the tests find each of them.

    planted_faults.py check                     does the list of faults fit the code and the tests?
    planted_faults.py list                      a line for each fault
    planted_faults.py run                       plant every fault, and run the tests named for it
    planted_faults.py run ID ... --whole-gate   plant these; where their tests find nothing, run
                                                all of tests/
    planted_faults.py run --unpatched           prove first that the tests pass without a fault
    planted_faults.py run --part gate           run those of its tests that the gate takes
    planted_faults.py run --results FILE        append a line of JSON for each fault

The faults stand in planted_faults.toml, beside this file. They are planted in a temporary copy of
the checkout, never in the checkout itself, and the tests run with the Python that runs this. A
fault that is not found shows what the tests do not look at.
"""

import argparse
import ast
import compileall
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import NoReturn

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
FAULTS = Path(__file__).with_suffix(".toml")
PACKAGE = Path("src") / "puredelta"
# Java sources have a layer of their own: other tests run them than the code around them.
BRIDGE, BRIDGE_FOLDER = "bridge", "engine/bridge/"
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SCENARIOS = "parity/test_parity.py::"
# It fails for every fault: what a fault replaces is not in the file any more.
OWN_TEST = "tests/meta/test_planted_faults.py"

NOT_COPIED = (
    *(".git", ".venv", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
    *(".import_linter_cache", ".hypothesis", "build", "dist", "site", "spark-warehouse"),
)
PASSED, FAILED, INTERRUPTED, NO_TESTS = 0, 1, 2, 5
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - (.*))?$", re.MULTILINE)
_TIMED_OUT = re.compile(r"Timeout \(?>|\+ Timeout \+")
TAIL = 4_000


@dataclass(frozen=True)
class Fault:
    """A change to one place of the code that makes it wrong.

    Attributes:
        id: Its name.
        layer: The layer of the file.
        file: Where it is planted, below src/puredelta.
        old: The text that it replaces, which stands in the file once.
        new: The text that it puts in its place.
        what: What a user would see go wrong.
        tests: The test files or node ids below tests/ that should find it, cheapest first.
    """

    id: str
    layer: str
    file: str
    old: str
    new: str
    what: str
    tests: tuple[str, ...]

    def patched(self, text: str) -> str:
        """Return the text of the file with the fault in it."""
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Finding:
    """What the tests said to a fault.

    Attributes:
        by: The test that found it, or "time-out"; None when none did.
        seconds: How long the tests ran.
        stage: "tests" when they were those named for the fault, else "gate".
    """

    by: str | None
    seconds: float
    stage: str = "tests"

    def __str__(self) -> str:
        """Return a line for people."""
        if self.by is not None:
            return f"found by {self.by} in {self.seconds:.0f} s"
        if self.stage == "gate":
            return "not found by the whole suite"
        return "not found by its tests"


@dataclass(frozen=True)
class Limits:
    """How many seconds the tests may take: those of a fault, and the whole suite."""

    tests: float
    gate: float


class BrokenRunError(Exception):
    """The tests could not be run, so that nothing is known."""


# ------------------------------------------------------------------------------ the list of faults


def read_faults(path: Path = FAULTS) -> list[Fault]:
    """Read the list of faults."""
    with path.open("rb") as file:
        tables = tomllib.load(file)["fault"]
    return [Fault(**{**table, "tests": tuple(table["tests"])}) for table in tables]


def layers() -> set[str]:
    """Return the layers of the package: its folders, and the bridge to Java."""
    folders = {path.name for path in (ROOT / PACKAGE).iterdir() if path.is_dir()}
    return {BRIDGE} | {name for name in folders if not name.startswith("_")}


def problems(faults: Sequence[Fault]) -> list[str]:
    """Say in which ways the list does not fit the code and the tests."""
    counts = Counter(fault.id for fault in faults)
    twice = [f"{name}: {count} faults have this id" for name, count in counts.items() if count > 1]
    bare = [f"{layer}: no fault" for layer in sorted(layers() - {fault.layer for fault in faults})]
    return [f"{fault.id}: {text}" for fault in faults for text in _problems(fault)] + twice + bare


def _problems(fault: Fault) -> Iterator[str]:
    if not KEBAB.fullmatch(fault.id):
        yield "the id is not kebab-case"
    if fault.layer != layer_of(fault.file):
        yield f"{fault.file} is in the layer {layer_of(fault.file)}, not {fault.layer}"
    if not fault.what.strip():
        yield "what goes wrong is not said"
    yield from _problems_of_patch(fault)
    if not fault.tests:
        yield "no test is named"
    for test in fault.tests:
        if not is_test(test):
            yield f"no such test: {test}"


def layer_of(file: str) -> str:
    """Return the layer of a file, which is named by its path below the package."""
    return BRIDGE if file.startswith(BRIDGE_FOLDER) else file.partition("/")[0]


def _problems_of_patch(fault: Fault) -> Iterator[str]:
    path = ROOT / PACKAGE / fault.file
    if not path.is_file():
        yield f"no such file: {fault.file}"
        return
    text = path.read_text(encoding="utf-8")
    if (count := text.count(fault.old)) != 1:
        yield f"the old text occurs {count} times in {fault.file}"
        return
    try:
        is_same = _meaning(fault.file, text) == _meaning(fault.file, fault.patched(text))
    except (SyntaxError, tomllib.TOMLDecodeError) as error:
        yield f"{fault.file} cannot be compiled with it: {error}"
        return
    if is_same:
        yield "it changes nothing"


def _meaning(file: str, text: str) -> object:
    """Return what a file says, without comments and layout where it is not Java."""
    if file.endswith(".py"):
        compile(text, file, "exec", dont_inherit=True)
        return ast.dump(ast.parse(text))
    return tomllib.loads(text) if file.endswith(".toml") else text


def is_test(test: str) -> bool:
    """Say whether a test file, or a node id below tests/, exists; of parameters only scenarios'."""
    file, *names = test.partition("[")[0].split("::")
    path = ROOT / "tests" / file
    if not path.is_file() or not path.name.startswith("test_"):
        return False
    body: Sequence[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    for name in names:
        found = [statement for statement in body if getattr(statement, "name", None) == name]
        if not found:
            return False
        body = found[0].body if isinstance(found[0], ast.ClassDef) else []
    return not test.startswith(SCENARIOS) or _is_scenario(test)


def _is_scenario(test: str) -> bool:
    module, _, case = test.partition("[")[2].rstrip("]").partition("-")
    path = ROOT / "tests" / "parity" / "cases" / f"{module}.py"
    return path.is_file() and f"def case_{case}(" in path.read_text(encoding="utf-8")


# ---------------------------------------------------------------------------- the copy of the code


class Copy:
    """A copy of the checkout, in which faults are planted and tests run."""

    def __init__(self, folder: Path, part: str) -> None:
        """Make the copy in an empty folder, to run a part of the tests there.

        Raises:
            BrokenRunError: The tests would import the package from another place.
        """
        self.root = folder / "checkout"
        self._part = part
        self._log = folder / "log"
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            # A file that changes twice a second could be taken for what was compiled before.
            "PYTHONDONTWRITEBYTECODE": "1",
            # Compiled adapters with a fault are not left behind.
            "PUREDELTA_CACHE_DIR": str(folder / "cache"),
        }
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
        source, by_content = self.root / "src", PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(source, quiet=1, invalidation_mode=by_content)
        self._check_imports()

    @contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        """Have a fault in the code for a while.

        Raises:
            BrokenRunError: The file was changed since the list was checked.
        """
        path = self.root / PACKAGE / fault.file
        before = path.read_text(encoding="utf-8")
        if before.count(fault.old) != 1:
            raise BrokenRunError(f"{fault.id} cannot be planted: {fault.file} was changed")
        path.write_text(fault.patched(before), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(before, encoding="utf-8")
            # No fault is found by examples that another one failed.
            shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)

    def failing(self, arguments: Sequence[str], limit: float) -> tuple[str | None, float]:
        """Run tests until the first of them fails.

        Args:
            arguments: What pytest is to run.
            limit: How many seconds it may take; a run that takes longer has failed.

        Returns:
            The test that failed, None when all pass; and the seconds.

        Raises:
            BrokenRunError: pytest could not run them.
        """
        begun = time.monotonic()
        options = ("-x", "-q", "-p", "no:cacheprovider", "--part", self._part)
        status, text = self._output(("-m", "pytest", *options, *arguments), limit)
        seconds = time.monotonic() - begun
        if status is None:
            return "time-out", seconds
        if status in (PASSED, NO_TESTS):
            return None, seconds
        found = _SUMMARY.search(text)
        if status not in (FAILED, INTERRUPTED) or (status == INTERRUPTED and found is None):
            raise BrokenRunError(f"pytest ended with {status}\n{text[-TAIL:]}")
        return _failed_test(found, text), seconds

    def _check_imports(self) -> None:
        status, text = self._output(("-c", "import puredelta; print(puredelta.__file__)"), 60)
        if status != 0:
            raise BrokenRunError(f"the copy cannot be imported\n{text[-TAIL:]}")
        found, wanted = Path(text.strip()).resolve(), (self.root / PACKAGE).resolve()
        if found.parent != wanted:
            raise BrokenRunError(f"tests would import {found}, not the copy in {wanted}")

    def _output(self, arguments: Sequence[str], limit: float) -> tuple[int | None, str]:
        """Run Python; return the status, None when the time is over, and what it printed."""
        with self._log.open("wb") as log:
            child = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.root,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                status: int | None = child.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                _end_all(child)
        return status, self._log.read_text(encoding="utf-8", errors="replace")


def _end_all(child: "subprocess.Popen[bytes]") -> None:
    """End a child together with what it began: a JVM outlives a Python that is killed."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _failed_test(found: "re.Match[str] | None", text: str) -> str:
    """Return the test of pytest's summary, which is missing when a time-out ended pytest."""
    name = "a test" if found is None else found[1]
    by_time = _TIMED_OUT.search(text if found is None else found[2] or "")
    return f"{name} (time-out)" if by_time else name


@contextmanager
def copied(part: str) -> Iterator[Copy]:
    """Have a copy of the checkout for a while, to run a part of the tests in."""
    with tempfile.TemporaryDirectory(prefix="planted-faults-") as folder:
        yield Copy(Path(folder), part)


# ------------------------------------------------------------------------------------ the commands


def named_tests(fault: Fault) -> list[str]:
    """Return the tests of a fault as pytest takes them."""
    return [f"tests/{test}" for test in fault.tests]


def prove_unpatched(copy: Copy, faults: Sequence[Fault], limit: float) -> None:
    """Run the tests of all faults on the code as it is.

    Raises:
        BrokenRunError: One of them fails.
    """
    tests = list(dict.fromkeys(test for fault in faults for test in named_tests(fault)))
    by, seconds = copy.failing(tests, limit)
    if by is not None:
        raise BrokenRunError(f"without a fault, this fails: {by}")
    print(f"without a fault, the tests pass in {seconds:.0f} s", flush=True)


def tried(copy: Copy, fault: Fault, limits: Limits, *, whole_gate: bool) -> Finding:
    """Plant a fault and run its tests; then all others, if that is wanted and they find nothing."""
    tests = named_tests(fault)
    with copy.planted(fault):
        finding = Finding(*copy.failing(tests, limits.tests))
        if finding.by is not None or not whole_gate:
            return finding
        # Of a function's name, pytest would leave out every function that begins with it.
        known = [f"--deselect={test}" for test in tests if "::" not in test]
        by, seconds = copy.failing(["tests", f"--ignore={OWN_TEST}", *known], limits.gate)
        return Finding(by, finding.seconds + seconds, stage="gate")


def run(faults: Sequence[Fault], options: argparse.Namespace) -> int:
    """Try faults in a copy of the checkout; return how many were not found."""
    limits = Limits(options.time_out, options.gate_time_out)
    findings: dict[Fault, Finding] = {}
    with copied(options.part) as copy:
        if options.unpatched:
            prove_unpatched(copy, faults, limits.gate)
        for number, fault in enumerate(faults, 1):
            print(f"{number}/{len(faults)} {fault.id}: ", end="", flush=True)
            finding = tried(copy, fault, limits, whole_gate=options.whole_gate)
            print(finding, flush=True)
            findings[fault] = finding
            if options.results is not None:
                _append(options.results, fault, finding)
    print_table(findings)
    return sum(finding.by is None for finding in findings.values())


def _append(path: Path, fault: Fault, finding: Finding) -> None:
    facts = {"id": fault.id, "layer": fault.layer, "file": fault.file, "what": fault.what}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**facts, **asdict(finding)}) + "\n")


def print_table(findings: dict[Fault, Finding]) -> None:
    """Print how many faults were planted and found in each layer, and those not found."""
    planted = Counter(fault.layer for fault in findings)
    missed = [fault for fault, finding in findings.items() if finding.by is None]
    found = planted - Counter(fault.layer for fault in missed)
    print(f"\n{'layer':<12}{'planted':>8}{'found':>8}")
    for layer in sorted(planted):
        print(f"{layer:<12}{planted[layer]:>8}{found[layer]:>8}")
    print(f"{'all':<12}{planted.total():>8}{found.total():>8}")
    if missed:
        print("\nnot found:")
    for fault in missed:
        print(f"  {fault.id} ({fault.file}): {fault.what}")


def check(faults: Sequence[Fault]) -> int:
    """Print what is wrong with the list; return how much that is."""
    found = problems(faults)
    for text in found:
        print(text)
    if not found:
        counts = Counter(fault.layer for fault in faults)
        shares = ", ".join(f"{layer} {counts[layer]}" for layer in sorted(counts))
        print(f"{len(faults)} faults can be planted: {shares}")
    return len(found)


def print_list(faults: Sequence[Fault]) -> None:
    """Print a line for each fault."""
    for fault in faults:
        print(f"{fault.layer:<11} {fault.id:<39} {fault.what}")


def chosen(faults: Sequence[Fault], ids: Sequence[str]) -> list[Fault]:
    """Return the faults with these ids, in the order of the list; all when none is named."""
    if unknown := set(ids) - {fault.id for fault in faults}:
        _refuse(f"no such fault: {', '.join(sorted(unknown))}")
    return [fault for fault in faults if fault.id in ids or not ids]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="does the list of faults fit the code and the tests?")
    commands.add_parser("list", help="a line for each fault")
    running = commands.add_parser("run", help="plant faults, and run tests")
    running.add_argument("ids", nargs="*", metavar="ID", help="a fault; all when none is named")
    add = running.add_argument
    add("--whole-gate", action="store_true", help="run all of tests/ where its tests find nothing")
    add("--unpatched", action="store_true", help="prove first that the tests pass without a fault")
    add("--part", default="all", help="which of the tests run, as pytest takes it (%(default)s)")
    add("--results", type=Path, metavar="FILE", help="append a line of JSON for each fault")
    add("--time-out", type=float, default=1_800, help="seconds for a fault's tests (%(default)s)")
    add("--gate-time-out", type=float, default=14_400, help="seconds for all tests (%(default)s)")
    return parser.parse_args()


def _refuse(text: str) -> NoReturn:
    print(text, file=sys.stderr)
    sys.exit(2)


def main() -> None:
    """Run a command; the status is 1 where something is wrong or not found, 2 for a broken run."""
    options, faults = arguments(), read_faults()
    if options.command == "list":
        print_list(faults)
        return
    if check(faults):
        sys.exit(1)
    if options.command == "run":
        try:
            missed = run(chosen(faults, options.ids), options)
        except BrokenRunError as error:
            _refuse(str(error))
        sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
