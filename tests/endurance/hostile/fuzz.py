"""Fuzzes a parser, led by coverage: `python -m tests.endurance.hostile.fuzz PARSER RUNS`.

It needs atheris, which has wheels for few versions of Python, and puredelta without Spark:

    python3.11 -m venv /tmp/fuzz
    /tmp/fuzz/bin/pip install atheris pyarrow msgspec pyroaring numpy click pyspark
    PYTHONPATH=src:. /tmp/fuzz/bin/python -m tests.endurance.hostile.fuzz all 100000

The inputs that it finds worth keeping are in `/tmp/puredelta-fuzz/PARSER`, and those that a parser
fails with in `/tmp/puredelta-fuzz/PARSER-failures`.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

_ROOT = Path(tempfile.gettempdir()) / "puredelta-fuzz"
_MOST_FAILURES = 20
_LONGEST = 4096
_SLOW = 2.0
# Where coverage counts: instrumenting all of the package would take longer than fuzzing it.
_LED_BY = (
    "puredelta.frontend.sql",
    "puredelta.log.actions",
    "puredelta.log.checkpoint.hint",
    "puredelta.log.checksum",
    "puredelta.log.file_stats",
    "puredelta.log.files",
    "puredelta.log.names",
    "puredelta.rows.filter_text",
    "puredelta.rows.filter_values",
    "puredelta.schema",
    "puredelta.storage.location",
    "puredelta.table.check.stats_check",
    "puredelta.table.deletion_vectors",
    "puredelta.table.expressions",
    "puredelta.table.partition_values",
    "puredelta.table.protocol.interval",
    "puredelta.table.protocol.properties",
    "puredelta.table.skipping.predicate_text",
    "puredelta.table.statistics.datetime_text",
)


def main() -> None:
    """Fuzz one parser, or all, each in a process of its own."""
    name, runs = sys.argv[1], sys.argv[2]
    if name == "all":
        names = sorted(_names())
        codes = [
            subprocess.run([sys.executable, "-m", __spec__.name, one, runs], check=False).returncode
            for one in names
        ]
        sys.exit(any(codes))
    fuzz(name, int(runs))


def _names() -> list[str]:
    from tests.endurance.hostile.parsers import PARSERS

    return list(PARSERS)


def _others() -> list[str]:
    """Name the modules that do not lead the fuzzer."""
    source = Path(__file__).parents[3] / "src"
    places = [place.relative_to(source) for place in source.rglob("*.py")]
    names = (".".join(place.with_suffix("").parts).removesuffix(".__init__") for place in places)
    return [name for name in names if not name.startswith(_LED_BY)]


def fuzz(name: str, runs: int) -> None:
    """Fuzz a parser, and say how often it ran and failed."""
    import atheris  # type: ignore[import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["puredelta"], exclude=_others()):
        from tests.endurance.hostile import parsers
    parsers.quiet()
    corpus, failures = _ROOT / name, _ROOT / f"{name}-failures"
    for folder in (corpus, failures):
        folder.mkdir(parents=True, exist_ok=True)
    for data in parsers.seeds_of(name, real_files()):
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data[:_LONGEST])
    seen: set[str] = set()
    count = 0

    def one(data: bytes) -> None:
        nonlocal count
        count += 1
        start = time.monotonic()
        try:
            parsers.check(name, data)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
            _note(error, data, failures, seen)
        if time.monotonic() - start > _SLOW:
            _note(TimeoutError(f"{time.monotonic() - start:.1f} s"), data, failures, seen)
        if count == runs:
            print(f"{name}: {count} runs, {len(seen)} kinds of failures", flush=True)
            os._exit(bool(seen))

    # libFuzzer ends the process itself; so the last run reports before it does.
    flags = [f"-runs={runs + 10_000}", f"-max_len={_LONGEST}", "-verbosity=0", "-timeout=30"]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], one, internal_libfuzzer=True)
    atheris.Fuzz()


def _note(error: Exception, data: bytes, failures: Path, seen: set[str]) -> None:
    """Keep an input for each place at which a parser fails."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    key = f"{type(error).__name__} {last.filename if last else ''} {last.lineno if last else ''}"
    if key in seen or len(seen) >= _MOST_FAILURES:
        return
    seen.add(key)
    place = failures / hashlib.sha256(data).hexdigest()[:16]
    place.write_bytes(data)
    print(f"FAILURE {key}: {error!r:.200} by {place}", flush=True)


def real_files() -> dict[str, bytes]:
    """Read the logs of real tables: those that delta-spark recorded."""
    from tests.interop.recorded import FEATURES, recorded_folder

    found = {}
    for log in sorted(recorded_folder(FEATURES).glob("*/_delta_log")):
        if log.parent.name == "thousand_files":
            continue
        for place in sorted(log.iterdir()):
            # Hadoop's checksums are hidden, and nobody's to read.
            is_hidden = place.name.startswith(".")
            if not is_hidden and place.is_file() and place.stat().st_size <= _LONGEST * 4:
                found[f"{log.parent.name}/{place.name}"] = place.read_bytes()
    return found


if __name__ == "__main__":
    main()
