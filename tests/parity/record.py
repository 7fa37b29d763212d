"""Runs the parity scenarios on delta-spark and keeps what it shows in `expected/`.

    python tests/parity/record.py [MODULE ...]      all modules of `cases/` when none is named

The oracle is a script that runs another script on delta-spark: tools/oracle.py, or what
$PUREDELTA_ORACLE names. It brings no `delta` Python package, so this script installs the one that
fits into a temporary folder ($PUREDELTA_ORACLE_PYTHON to keep it). One session runs all modules:
starting it is slow.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "parity" / "cases"
EXPECTED = ROOT / "tests" / "parity" / "expected"
DELTA = "delta-spark==4.4.0"


def find_oracle() -> Path | None:
    """The oracle script, or None where there is none."""
    place = Path(os.environ.get("PUREDELTA_ORACLE") or ROOT / "tools" / "oracle.py")
    return place if place.is_file() else None


def oracle_environment(folder: Path) -> dict[str, str]:
    """The environment in which the oracle sees this repository and the `delta` package."""
    delta = Path(os.environ.get("PUREDELTA_ORACLE_PYTHON") or folder / "python")
    if not (delta / "delta").is_dir():
        install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
        subprocess.run([*install, str(delta), DELTA], check=True)
    path = os.pathsep.join([str(ROOT), str(delta)])
    return {**os.environ, "PYTHONPATH": path, "ORACLE_WAREHOUSE": str(folder / "warehouse")}


def record(names: list[str]) -> None:
    """Run the modules under a session of delta-spark that `oracle.py exec` made."""
    from delta import tables

    from tests.parity.runner import BROKEN, run_module

    spark = globals()["spark"]
    with tempfile.TemporaryDirectory(prefix="parity-") as folder:
        for name in names:
            begun = time.monotonic()
            module = importlib.import_module(f"tests.parity.cases.{name}")
            seen = run_module(spark, module, Path(folder), tables)
            text = json.dumps(seen, indent=1, ensure_ascii=False)
            (EXPECTED / f"{name}.json").write_text(text + "\n", "utf-8")
            print(f"{name}: {len(seen)} cases, {time.monotonic() - begun:.0f} s", flush=True)
            broken = [case for case, steps in seen.items() if steps[-1]["step"] == BROKEN]
            if broken:
                print(f"  broke off: {', '.join(broken)}", flush=True)


def main(names: list[str]) -> int:
    """Start the oracle on this very file."""
    oracle = find_oracle()
    if oracle is None:
        print("no oracle found; see --help in this file's docstring", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="parity-oracle-") as folder:
        command = [sys.executable, str(oracle), "exec", __file__, *names]
        with (Path(folder) / "log").open("w+") as log:
            # PySpark logs every error that a scenario asks for, with its stack.
            done = subprocess.run(
                command, env=oracle_environment(Path(folder)), check=False, stderr=log
            )
            if done.returncode:
                log.seek(0)
                sys.stderr.write(log.read()[-4000:])
        return done.returncode


if __name__ == "__main__":
    wanted = sys.argv[1:] or sorted(p.stem for p in CASES.glob("*.py") if p.stem != "__init__")
    if "spark" in globals():
        record(wanted)
    else:
        sys.exit(main(wanted))
