"""A server in this process that speaks as much of S3 as a table needs, with conditional writes."""

import threading
import time
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

PAGE = 1000


class ObjectServer:
    """A bucket in memory, and the server that gives access to it."""

    bucket = "bucket"

    def __init__(self) -> None:
        self.objects: dict[str, tuple[bytes, float]] = {}
        self.lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"bucket": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def options(self) -> dict[str, str]:
        """What it takes to get in."""
        return {
            "aws_endpoint": f"http://127.0.0.1:{self._server.server_port}",
            "allow_http": "true",
            "aws_access_key_id": "k",
            "aws_secret_access_key": "s",
            "aws_region": "us-east-1",
        }

    def names(self, start: str) -> set[str]:
        """Return the keys that have a start, without it."""
        with self.lock:
            return {key.removeprefix(start) for key in self.objects if key.startswith(start)}

    def copy(self, start: str, to: str) -> None:
        """Copy the objects whose key has a start to one with another."""
        with self.lock:
            for key, held in list(self.objects.items()):
                if key.startswith(start):
                    self.objects[to + key.removeprefix(start)] = held

    def drop(self, start: str) -> None:
        """Remove the objects whose key has a start."""
        with self.lock:
            for key in [key for key in self.objects if key.startswith(start)]:
                del self.objects[key]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A reply goes out as a whole: in two pieces, the second one waits for the first one's receipt.
    wbufsize = -1
    disable_nagle_algorithm = True
    bucket: ObjectServer

    def do_GET(self) -> None:
        key, query = self._asked()
        if not key:
            self._list(query)
            return
        held = self.bucket.objects.get(key)
        if held is None:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        data, made = held
        start, end = self._range(len(data))
        headers = self._headers_of(data, made)
        if self.headers["Range"]:
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        status = 206 if self.headers["Range"] else 200
        self._answer(status, data[start:end], headers)

    def do_HEAD(self) -> None:
        key, _ = self._asked()
        held = self.bucket.objects.get(key)
        if held is None:
            self._answer(404, b"")
            return
        self._answer(200, held[0], self._headers_of(*held), is_head=True)

    def do_PUT(self) -> None:
        key, _ = self._asked()
        data = self._body()
        if data is None:
            return
        with self.bucket.lock:
            is_taken = self.headers["If-None-Match"] == "*" and key in self.bucket.objects
            if not is_taken:
                self.bucket.objects[key] = (data, time.time())
        if is_taken:
            self._answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
            return
        self._answer(200, b"", {"ETag": f'"{md5(data).hexdigest()}"'})

    def do_DELETE(self) -> None:
        key, _ = self._asked()
        with self.bucket.lock:
            self.bucket.objects.pop(key, None)
        self._answer(204, b"")

    def do_POST(self) -> None:
        """Delete a list of objects."""
        body = self._body()
        if body is None:
            return
        found = ElementTree.fromstring(body).iter()
        keys = [one.text or "" for one in found if one.tag.rpartition("}")[2] == "Key"]
        with self.bucket.lock:
            for key in keys:
                self.bucket.objects.pop(key, None)
        deleted = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
        self._answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def handle_one_request(self) -> None:
        # A client that was killed leaves its connection at any moment.
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _asked(self) -> tuple[str, dict[str, str]]:
        parts = urlsplit(self.path)
        key = unquote(parts.path).removeprefix(f"/{self.bucket.bucket}").removeprefix("/")
        query = parse_qs(parts.query, keep_blank_values=True)
        return key, {name: values[0] for name, values in query.items()}

    def _body(self) -> bytes | None:
        size = int(self.headers["Content-Length"] or 0)
        data = self.rfile.read(size)
        if len(data) < size:
            # Its client was killed in the middle: a store takes no part of an object.
            self.close_connection = True
            return None
        return data

    def _range(self, size: int) -> tuple[int, int]:
        asked = self.headers["Range"]
        if not asked:
            return 0, size
        start, _, end = asked.removeprefix("bytes=").partition("-")
        if not start:
            return max(0, size - int(end)), size
        return int(start), min(size, int(end) + 1) if end else size

    def _list(self, query: dict[str, str]) -> None:
        prefix = query.get("prefix", "")
        after = query.get("continuation-token") or query.get("start-after", "")
        with self.bucket.lock:
            found = sorted(
                (key, held)
                for key, held in self.bucket.objects.items()
                if key.startswith(prefix) and key > after
            )
        page = found[:PAGE]
        more = len(found) > PAGE
        last = escape(page[-1][0]) if page else ""
        token = f"<NextContinuationToken>{last}</NextContinuationToken>"
        text = (
            f"<ListBucketResult><Name>{self.bucket.bucket}</Name><Prefix>{escape(prefix)}</Prefix>"
            f"<KeyCount>{len(page)}</KeyCount><MaxKeys>{PAGE}</MaxKeys>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{token if more else ''}"
            + "".join(_entry(key, *held) for key, held in page)
            + "</ListBucketResult>"
        )
        self._answer(200, text.encode())

    @staticmethod
    def _headers_of(data: bytes, made: float) -> dict[str, str]:
        modified = formatdate(made, usegmt=True)
        return {"Last-Modified": modified, "ETag": f'"{md5(data).hexdigest()}"'}

    def _answer(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        *,
        is_head: bool = False,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not is_head:
            self.wfile.write(body)


def _entry(key: str, data: bytes, made: float) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(made))
    return (
        f"<Contents><Key>{escape(key)}</Key><Size>{len(data)}</Size>"
        f"<LastModified>{seconds}.{int(made * 1000) % 1000:03}Z</LastModified>"
        f'<ETag>"{md5(data).hexdigest()}"</ETag><StorageClass>STANDARD</StorageClass></Contents>'
    )
