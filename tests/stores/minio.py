"""MinIO, a server that speaks S3: where its program is, and one that runs for the tests."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from puredelta.engine.bridge.environment import cache_folder

USER = "puredelta"
SECRET = "not-so-secret"
BUCKET = "lake"
_START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        port: Where it listens, on this machine.
        data: Its folder; a folder in it is a bucket.
    """

    port: int
    data: Path

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def options(port: int) -> dict[str, str]:
    """What opens a table of the server, under Hadoop's names."""
    return {
        "fs.s3a.endpoint": f"http://127.0.0.1:{port}",
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": USER,
        "fs.s3a.secret.key": SECRET,
    }


def find_program() -> tuple[Path | None, str]:
    """Look for the program; when it is not found, say why and what to do."""
    asked = os.environ.get("PUREDELTA_MINIO")
    if asked:
        return (Path(asked), "") if Path(asked).is_file() else (None, f"{asked} is no file")
    go = Path(os.environ.get("GOPATH") or Path.home() / "go")
    on_path = shutil.which("minio")
    places = [Path(on_path)] if on_path else []
    places += [go / "bin/minio", cache_folder() / "bin/minio"]
    found = next((place for place in places if place.is_file()), None)
    return found, "no MinIO: `make test-stores` builds it, or say where it is in PUREDELTA_MINIO"


@contextlib.contextmanager
def running(program: Path, data: Path) -> Iterator[Server]:
    """Run a server on a free port of this machine."""
    (data / BUCKET).mkdir(parents=True)
    port = free_port()
    environment = {
        **os.environ,
        "MINIO_ROOT_USER": USER,
        "MINIO_ROOT_PASSWORD": SECRET,
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
    }
    command = [str(program), "server", "--quiet", "--address", f"127.0.0.1:{port}", str(data)]
    with (data.parent / "minio.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        server = Server(port, data)
        _await(process, f"{server.endpoint}/minio/health/ready", data.parent / "minio.log")
        yield server
    finally:
        process.terminate()
        process.wait(timeout=30)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _await(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.1)
    raise TimeoutError(log.read_text())
