"""A small HDFS for the tests: a name node and a data node in one process of this machine."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from puredelta.engine.bridge.environment import find_java

_MANAGER = "org.apache.hadoop.test.MiniDFSClusterManager"
_START_SECONDS = 120


@contextlib.contextmanager
def running(jars: list[Path], folder: Path) -> Iterator[str]:
    """Run it; gives the URL of its root."""
    java = find_java()
    assert java is not None
    told = folder / "details.json"
    command = [str(java.path), "-Xmx512m", "-cp", ":".join(map(str, jars)), _MANAGER]
    command += ["-format", "-datanodes", "1", "-writeDetails", str(told)]
    log = folder / "hdfs.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=dict(os.environ), stdout=output, stderr=output
        )
    try:
        yield f"hdfs://localhost:{_port(process, told, log)}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def _port(process: "subprocess.Popen[bytes]", told: Path, log: Path) -> int:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()[-3000:]
        with contextlib.suppress(OSError, ValueError):
            return int(json.loads(told.read_text())["namenode_port"])
        time.sleep(0.2)
    raise TimeoutError(log.read_text()[-3000:])
