"""Errors of obstore as ours."""

import traceback

import obstore
import pytest
from obstore import exceptions
from obstore.exceptions import (
    BaseError,
    GenericError,
    NotFoundError,
    NotSupportedError,
    PermissionDeniedError,
    UnauthenticatedError,
)

from puredelta.errors import (
    DeltaIllegalArgumentError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)
from puredelta.storage import object_store_options
from puredelta.storage.failures import FOREIGN, translate_errors
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectNotFound

XML = (
    "Error performing {verb} http://h/b in 1ms - Server returned non-2xx status code: {status}: "
    '<?xml version="1.0"?>\n<Error><Code>{code}</Code><Message>{text}</Message></Error>'
    "\n\nDebug source:\nGeneric {{ ... }}"
)


def answer(status, code, text="Said so."):
    return XML.format(verb="GET", status=status, code=code, text=text)


def ours(error, url="s3a://b/t", name="x", options=None):
    return translate_errors(error, operation="read", url=url, name=name, options=options or {})


@pytest.mark.parametrize(
    ("error", "condition"),
    [
        (NotFoundError("gone"), "DELTA_FILE_OR_DIR_NOT_FOUND"),
        (FileNotFoundError("gone"), "DELTA_FILE_OR_DIR_NOT_FOUND"),
        (GenericError(answer(404, "NoSuchKey")), "DELTA_FILE_OR_DIR_NOT_FOUND"),
        (NotFoundError(answer(404, "NoSuchBucket")), "DELTA_STORAGE_BUCKET_NOT_FOUND"),
        (GenericError(answer(404, "NoSuchBucket")), "DELTA_STORAGE_BUCKET_NOT_FOUND"),
        (GenericError(answer(404, "ContainerNotFound")), "DELTA_STORAGE_BUCKET_NOT_FOUND"),
        (PermissionDeniedError("no"), "DELTA_STORAGE_ACCESS_DENIED.S3"),
        (UnauthenticatedError("no"), "DELTA_STORAGE_ACCESS_DENIED.S3"),
        (GenericError(answer(403, "AccessDenied")), "DELTA_STORAGE_ACCESS_DENIED.S3"),
        (
            GenericError("Error performing PUT http://169.254.169.254/latest/api/token"),
            "DELTA_STORAGE_ACCESS_DENIED.S3",
        ),
        (
            NotSupportedError("no conditional put"),
            "DELTA_STORAGE_NO_PUT_IF_ABSENT.NOT_IMPLEMENTED",
        ),
        (
            GenericError(answer(501, "NotImplemented")),
            "DELTA_STORAGE_NO_PUT_IF_ABSENT.NOT_IMPLEMENTED",
        ),
        (GenericError("HTTP error: error sending request"), "DELTA_STORAGE_UNREACHABLE"),
        (GenericError("operation timed out"), "DELTA_STORAGE_UNREACHABLE"),
        (GenericError(answer(503, "SlowDown")), "DELTA_STORAGE_FAILURE"),
        (GenericError("what is this"), "DELTA_STORAGE_FAILURE"),
        (ValueError("Could not parse path"), "DELTA_STORAGE_FAILURE"),
    ],
)
def test_each_failure_has_its_condition(error, condition):
    assert ours(error).condition == condition


def test_every_error_of_obstore_is_one_that_we_look_for():
    known = [one for one in vars(exceptions).values() if isinstance(one, type)]

    assert BaseError in known
    assert [one for one in known if not issubclass(one, FOREIGN)] == []


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("s3://b/t", "s3:PutObject"),
        ("gs://b/t", "Storage Object User"),
        ("abfss://c@a.dfs.core.windows.net/t", "Storage Blob Data Contributor"),
        ("memory:///t", "refused to read"),
    ],
)
def test_refusal_names_the_store_and_what_to_check(url, remedy):
    error = ours(PermissionDeniedError("denied"), url)

    assert isinstance(error, DeltaRuntimeError)
    assert f"{url}/x" in str(error)
    assert remedy in str(error)


def test_answer_of_the_store_is_quoted_without_its_xml():
    error = ours(PermissionDeniedError(answer(403, "SignatureDoesNotMatch", "Check your key.")))

    assert "SignatureDoesNotMatch: Check your key. Check" in str(error)
    assert "<" not in str(error)
    assert "Debug" not in str(error)


def test_missing_bucket_is_named():
    error = ours(NotFoundError(answer(404, "NoSuchBucket")), name="")

    assert "no bucket or container s3a://b, where s3a://b/t should" in str(error)


def test_failure_of_an_object_tells_its_path_and_keeps_the_cause(monkeypatch):
    failed = GenericError("disk on fire\n\nDebug source: ...")
    monkeypatch.setattr(obstore, "get", _raiser(failed))

    with pytest.raises(DeltaRuntimeError, match="failed to read memory://x/t/a: disk") as raised:
        open_store("memory://x/t").read("a")

    assert raised.value.__cause__ is failed
    assert "\n" not in raised.value.message


def test_no_secret_is_in_the_error_nor_in_its_traceback(monkeypatch):
    monkeypatch.setattr(
        obstore, "get", _raiser(GenericError("GET https://a/b?sig=c2VjcmV0 signed by hushhush"))
    )
    options = {"aws_access_key_id": "who", "aws_secret_access_key": "hushhush", "aws_region": "r"}
    store = open_store("s3://b/t", options)

    with pytest.raises(DeltaRuntimeError) as raised:
        store.read("a")

    shown = "".join(traceback.format_exception(raised.value)) + repr(store) + repr(raised.value)
    assert "hushhush" not in shown
    assert "c2VjcmV0" not in shown
    assert "sig=***" in shown


def test_store_that_has_no_condition_is_not_written_to():
    error = ours(NotSupportedError("none"))

    assert isinstance(error, DeltaUnsupportedOperationError)
    assert "two writers" in str(error)


def test_missing_object_is_an_answer():
    assert isinstance(ours(NotFoundError("gone")), ObjectNotFound)


def _raiser(error):
    def fail(*_args, **_kwargs):
        raise error

    return fail


def test_panic_of_a_stores_client_is_our_error(monkeypatch):
    # obstore panics at a name of the client's options among those of the store.
    monkeypatch.setattr(object_store_options, "_CLIENT_OPTIONS", frozenset())

    with pytest.raises(DeltaIllegalArgumentError, match="config prefix") as raised:
        open_store("s3://b/t", {"aws_user_agent": "me"})

    assert raised.value.condition == "DELTA_STORAGE_OPTIONS_INVALID"


def test_panic_while_an_object_is_read_is_our_error(monkeypatch):
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    monkeypatch.setattr(obstore, "get", _raiser(panic("index out of bounds")))

    with pytest.raises(DeltaRuntimeError, match="failed to read memory://x/t/a: index out"):
        open_store("memory://x/t").read("a")


def test_interrupt_while_an_object_is_read_stays_one(monkeypatch):
    monkeypatch.setattr(obstore, "get", _raiser(KeyboardInterrupt()))

    with pytest.raises(KeyboardInterrupt):
        open_store("memory://x/t").read("a")
