"""A server that speaks S3 and takes no notice of conditions: refused before anything is lost."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.storage.object_store import ObjectStore

DELETED = b"<DeleteResult><Deleted><Key>k</Key></Deleted></DeleteResult>"


class Careless(BaseHTTPRequestHandler):
    """Says yes to every write, or that it has no conditions."""

    protocol_version = "HTTP/1.1"
    statuses = (200, 200)

    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.puts.append(self.path)
        self._answer(self.statuses[min(len(self.server.puts), 2) - 1], b"")

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.deletions += 1
        self._answer(200, DELETED)

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("ETag", '"e"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(request):
    statuses = request.node.get_closest_marker("parametrize").args[1]
    handler = type("Answering", (Careless,), {"statuses": statuses[0]})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.puts, running.deletions = [], 0
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def store_at(server):
    options = {
        "fs.s3a.endpoint": f"http://127.0.0.1:{server.server_port}",
        "fs.s3a.access.key": "k",
        "fs.s3a.secret.key": "s",
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.puredelta.retry.limit": "0",
    }
    return ObjectStore("s3a://bucket/t", options)


@pytest.mark.parametrize("statuses", [(200, 200)])
def test_server_that_writes_over_what_is_there_is_refused(server, statuses):
    with pytest.raises(DeltaUnsupportedOperationError, match="If-None-Match") as raised:
        store_at(server).require_put_if_absent()

    assert raised.value.condition == "DELTA_STORAGE_NO_PUT_IF_ABSENT.IGNORED"
    assert "s3a://bucket/t" in str(raised.value)
    assert (len(server.puts), server.deletions) == (2, 1)


@pytest.mark.parametrize("statuses", [(501, 501)])
def test_server_without_conditions_is_refused(server, statuses):
    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        store_at(server).require_put_if_absent()

    assert raised.value.condition == "DELTA_STORAGE_NO_PUT_IF_ABSENT.NOT_IMPLEMENTED"


@pytest.mark.parametrize("statuses", [(200, 412)])
def test_server_is_tried_once(server, statuses):
    store_at(server).require_put_if_absent()
    store_at(server).require_put_if_absent()

    assert (len(server.puts), server.deletions) == (2, 1)
