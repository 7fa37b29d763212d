"""A process that has loaded what the Python beside a JVM needs, and forks one for each JVM's call.

Starting such a Python takes seconds, and a trial kills one each time. What the JVM starts is a
small program: it hands its environment and its output over, and ends as the fork does.
"""

import array
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[3]

# Runs without this package: it has to start fast.
_CLIENT = """#!{python} -SEs
import array, json, os, signal, socket
calling = socket.socket(socket.AF_UNIX)
calling.connect({address!r})
handles = array.array("i", [0, 1, 2])
calling.sendmsg([json.dumps(dict(os.environ)).encode() + b"\\0"],
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)])
code = int(calling.recv(20) or b"1")
os.kill(os.getpid(), -code) if code < 0 else os._exit(code)
"""


class WarmPythons:
    """The process, and the program that a JVM starts.

    Args:
        folder: a place for what it needs; its name must be short, for a socket is in it.
        variables: of the environment under which the Pythons run.
    """

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        address = folder / "warm"
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.endurance.kills.warm_pythons", str(address)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, **variables},
            start_new_session=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"warm\n"
        self.program = folder / "python"
        self.program.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
        self.program.chmod(0o755)

    def end(self) -> None:
        """End the process and its forks."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


def main(address: str) -> None:
    """Fork a Python for each that calls."""
    from puredelta import sidecar

    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen()
    print("warm", flush=True)
    while True:
        calling, _ = listening.accept()
        environment, handles = _read_call(calling)
        child = os.fork()
        if child == 0:
            _become(environment, handles)
            os._exit(sidecar.main())
        for handle in handles:
            os.close(handle)
        threading.Thread(target=_tell_end, args=(child, calling), daemon=True).start()


def _read_call(calling: socket.socket) -> tuple[dict[str, str], list[int]]:
    handles = array.array("i")
    data, sent, _, _ = calling.recvmsg(1 << 20, socket.CMSG_LEN(3 * handles.itemsize))
    for _, _, content in sent:
        handles.frombytes(content)
    while not data.endswith(b"\0"):
        data += calling.recv(1 << 20)
    environment: dict[str, str] = json.loads(data[:-1])
    return environment, list(handles)


def _become(environment: Mapping[str, str], handles: list[int]) -> None:
    os.environ.update(environment)
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)


def _tell_end(child: int, calling: socket.socket) -> None:
    _, status = os.waitpid(child, 0)
    with calling:
        calling.sendall(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
