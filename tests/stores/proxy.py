"""A TCP proxy that cuts the connection at a chosen request, before or after it was carried out."""

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable

_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)
_CHUNK = 65_536


class Proxy:
    """Passes on what comes, request by request, to a server on this machine.

    Args:
        port: Of the server.
        cut: Tells for the head of each request whether to cut there: "request" before the
            server has seen it, "reply" after it has answered, None to pass it on.
    """

    def __init__(self, port: int, cut: Callable[[bytes], str | None]) -> None:
        self._server = port
        self._cut = cut
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.cuts = 0

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            while request := _message(client):
                head = request.partition(b"\r\n\r\n")[0]
                cut = self._cut(head)
                self.cuts += cut is not None
                if cut == "silence":
                    time.sleep(5)
                if cut in {"request", "silence"}:
                    return
                # A connection for each request: its end is the end of the reply.
                with socket.create_connection(("127.0.0.1", self._server)) as server:
                    closing = b"\r\nConnection: close"
                    server.sendall(head + closing + request[len(head) :])
                    reply = _all(server)
                if cut == "reply":
                    return
                client.sendall(reply)
                return


def _message(client: socket.socket) -> bytes:
    """Read one request: its head, and as many bytes as it says."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(_CHUNK)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    found = _LENGTH.search(head)
    missing = (int(found[1]) if found else 0) - len(body)
    while missing > 0:
        more = client.recv(min(missing, _CHUNK))
        data += more
        missing -= len(more)
    return data


def _all(server: socket.socket) -> bytes:
    parts = []
    while more := server.recv(_CHUNK):
        parts.append(more)
    return b"".join(parts)
