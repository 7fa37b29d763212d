"""What obstore raises -> our errors: which store failed at what, why, and what to do about it."""

import re
from collections.abc import Mapping

from obstore.exceptions import (
    BaseError,
    NotFoundError,
    NotSupportedError,
    PermissionDeniedError,
    UnauthenticatedError,
)

from puredelta.errors import DeltaError, DeltaRuntimeError, DeltaUnsupportedOperationError
from puredelta.storage.location import scheme_of
from puredelta.storage.object_store_options import without_secrets
from puredelta.storage.store import ObjectNotFound

FOREIGN = (
    BaseError,
    NotFoundError,
    FileNotFoundError,
    PermissionError,
    ValueError,
    OverflowError,
)
"""What obstore raises when a store fails, apart from panics."""

_PANIC = "PanicException"

_DENIED = {
    "s3": "DELTA_STORAGE_ACCESS_DENIED.S3",
    "gs": "DELTA_STORAGE_ACCESS_DENIED.GOOGLE",
    "az": "DELTA_STORAGE_ACCESS_DENIED.AZURE",
}
_FAMILIES = {
    **dict.fromkeys(("s3", "s3a", "s3n"), "s3"),
    **dict.fromkeys(("gs", "gcs"), "gs"),
    **dict.fromkeys(("az", "abfs", "abfss", "wasb", "wasbs"), "az"),
}

_NO_BUCKET = re.compile(r"NoSuchBucket|ContainerNotFound|The specified bucket does not exist")
_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>(.*?)</Code>\s*<Message>(.*?)</Message>", re.DOTALL)
_JSON_MESSAGE = re.compile(r'"message":\s*"([^"]+)"')
_NO_ANSWER = re.compile(
    r"error sending request|timed? ?out|connect|dns error|connection closed|broken pipe",
    re.IGNORECASE,
)
# Where machines in a cloud ask for their identity: obstore asks only without given credentials.
_METADATA_SERVICE = re.compile(r"169\.254\.169\.254|metadata\.google\.internal|metadata/identity")


def is_of_obstore(error: BaseException) -> bool:
    """Return whether obstore raised this: an error of a store, or a panic of its Rust code.

    A panic is a BaseException, which passes every `except Exception`, and its class has no module
    from which it could be imported.
    """
    return isinstance(error, FOREIGN) or type(error).__name__ == _PANIC


def is_missing_bucket(error: BaseException) -> bool:
    """Return whether obstore found no bucket, whereas a missing object is the usual reason."""
    return _NO_BUCKET.search(str(error)) is not None


def translate_errors(
    error: BaseException, *, operation: str, url: str, name: str, options: Mapping[str, str]
) -> DeltaError:
    """Return our error for one of obstore's.

    Args:
        error: What obstore raised.
        operation: What was tried, as in "failed to OPERATION".
        url: The table.
        name: The object below it; empty for the table.
        options: What the store was opened with; none of it is quoted.
    """
    whole = str(error)
    path = f"{url}/{name}" if name else url
    reason = _reason(whole, options)
    # Before the check for missing objects: stores answer 404 in both cases.
    if _NO_BUCKET.search(whole):
        return DeltaRuntimeError("DELTA_STORAGE_BUCKET_NOT_FOUND", bucket=_bucket(url), path=path)
    if _is_not_found(error, whole):
        return ObjectNotFound("DELTA_FILE_OR_DIR_NOT_FOUND", path=path)
    if _is_denied(error, whole):
        condition = _DENIED.get(_FAMILIES.get(scheme_of(url), ""), "DELTA_STORAGE_ACCESS_DENIED")
        return DeltaRuntimeError(condition, operation=operation, path=path, reason=reason)
    if isinstance(error, NotSupportedError) or _status(whole) == 501:
        return DeltaUnsupportedOperationError(
            "DELTA_STORAGE_NO_PUT_IF_ABSENT.NOT_IMPLEMENTED", url=url, reason=reason
        )
    # With a status there was an answer, even if its text mentions a connection.
    if _status(whole) is None and _NO_ANSWER.search(whole):
        return DeltaRuntimeError(
            "DELTA_STORAGE_UNREACHABLE", operation=operation, path=path, reason=reason
        )
    return DeltaRuntimeError("DELTA_STORAGE_FAILURE", operation=operation, path=path, reason=reason)


def cause(error: BaseException, options: Mapping[str, str]) -> BaseException | None:
    """Return the error for `raise ... from`, unless a traceback would show secrets with it."""
    text = str(error)
    return error if without_secrets(text, options) == text else None


def _is_not_found(error: BaseException, whole: str) -> bool:
    return isinstance(error, NotFoundError | FileNotFoundError) or _status(whole) == 404


def _is_denied(error: BaseException, whole: str) -> bool:
    known = isinstance(error, PermissionDeniedError | UnauthenticatedError | PermissionError)
    return known or _status(whole) in {401, 403} or bool(_METADATA_SERVICE.search(whole))


def _status(whole: str) -> int | None:
    found = _STATUS.search(whole)
    return int(found[1]) if found else None


def _bucket(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


def _reason(whole: str, options: Mapping[str, str]) -> str:
    """Return the message of the store in a line, without what obstore adds for its developers."""
    if found := _CODE.search(whole):
        said = f"{found[1]}: {found[2]}"
    elif _METADATA_SERVICE.search(whole):
        said = "no credentials were given, and this machine has none of its own"
    elif found := _JSON_MESSAGE.search(whole):
        said = found[1]
    else:
        said = whole.partition("\n")[0]
    return " ".join(without_secrets(said, options).split()).rstrip(".")
