"""Places that can be read and not written."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase, require_writable
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import ConvertTarget
from puredelta.errors import DeltaRuntimeError
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore

_NOBODY = 65534


@contextmanager
def as_nobody():
    """Go without the rights of the administrator, who may write anywhere."""
    if os.geteuid():
        yield
        return
    # Texts of errors are read when first needed, from where others may have no access.
    DeltaRuntimeError("PUREDELTA_CONVERT_CANNOT_WRITE", path="", reason="")
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder():
    # The folders of tests are closed to others.
    path = Path(tempfile.mkdtemp())
    pq.write_table(pa.table({"a": [1, 2]}), path / "a.parquet")
    path.chmod(0o555)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


def test_folder_that_cannot_be_written_is_told_before_a_footer_is_read(folder):
    target = ConvertTarget(provider="parquet", location=str(folder), label=str(folder))
    command = ConvertToDeltaCommandBase(target=target)
    command.footers = lambda *_: pytest.fail("footers are read")

    with as_nobody(), pytest.raises(DeltaRuntimeError, match="Permission denied") as raised:
        command.run()

    assert raised.value.condition == "PUREDELTA_CONVERT_CANNOT_WRITE"
    assert str(folder) in str(raised.value)
    assert [path.name for path in folder.iterdir()] == ["a.parquet"]


def test_dry_run_needs_no_right_to_write(folder):
    target = ConvertTarget(provider="parquet", location=str(folder), label=str(folder))
    command = ConvertToDeltaCommandBase(target=target, request=ConvertRequest(dry_run=True))

    with as_nobody():
        assert command.run().files == 1

    assert [path.name for path in folder.iterdir()] == ["a.parquet"]


def test_nothing_stays_of_the_question(tmp_path):
    require_writable(LocalStore(str(tmp_path)))

    assert list(tmp_path.iterdir()) == []


def test_right_to_delete_is_not_needed():
    def fail(operation, name):
        if operation == "delete":
            raise PermissionError(name)

    require_writable(MemoryStore(on_call=fail))
