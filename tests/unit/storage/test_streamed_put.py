"""A long object on its way to a server that speaks S3: one request, on a condition, with time."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from puredelta.storage.object_store import ObjectStore

EMPTY = b"<ListBucketResult><Name>b</Name><IsTruncated>false</IsTruncated></ListBucketResult>"


class Remembering(BaseHTTPRequestHandler):
    """Keeps what is put, unless there is something; lists nothing, as if it were late."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._answer(200, EMPTY)

    def do_PUT(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.server.rest)
        taken = self.path in self.server.objects and self.headers["If-None-Match"] == "*"
        self.server.objects.setdefault(self.path, data)
        self._answer(412 if taken else 200, b"")

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("ETag", '"e"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Remembering) as running:
        running.objects, running.rest = {}, 0
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def store_at(server, **options):
    fixed = {
        "fs.s3a.endpoint": f"http://127.0.0.1:{server.server_port}",
        "fs.s3a.access.key": "k",
        "fs.s3a.secret.key": "s",
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.puredelta.retry.limit": "0",
    }
    return ObjectStore("s3a://bucket/t", {**fixed, **options})


def test_object_arrives_whole_and_a_second_one_is_turned_away_by_the_server(server):
    store = store_at(server)

    assert store.put_stream_if_absent("a", (b"%07d" % number for number in range(100_000)))
    assert not store.put_stream_if_absent("a", iter([b"other"]))

    (data,) = server.objects.values()
    assert data == b"".join(b"%07d" % number for number in range(100_000))


def test_long_object_gets_more_time_than_one_request_usually_has(server):
    server.rest = 1.2
    store = store_at(server, **{"fs.puredelta.request.timeout": "500ms"})

    assert store.put_stream_if_absent("a", iter([b"x" * 1_000_000] * 3))
