"""`puredelta restore` and `vacuum` in a real terminal show what they would do, and ask."""

import os
import pty
import subprocess
import sys
import threading
from contextlib import suppress

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from puredelta.log import open_table

VACUUM = ("vacuum", "--retain-hours", "0", "--no-retention-check")
RESTORE = ("restore", "--version", "0")


@pytest.fixture
def lake(tmp_path):
    """A table of two versions, of a file each."""
    for number in range(2):
        write_deltalake(tmp_path / "t", pa.table({"id": [number]}), mode="overwrite")
    return tmp_path / "t"


def at_terminal(answer, *arguments, output=None):
    """Run a command with a terminal, and type an answer; return its exit code and what it shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "puredelta", *map(str, arguments)],
        stdin=theirs,
        stdout=output or theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb"},
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, answer)
    shown = b""
    # A command that waits for more than the answer is to fail, not to stay.
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    # Where a terminal has no process any more, reading from it is an error.
    with suppress(OSError):
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    watchdog.cancel()
    return process.wait(60), shown.decode().replace("\r\n", "\n")


def state(lake):
    return open_table(str(lake)).version, len(list(lake.glob("*.parquet")))


@pytest.mark.parametrize(
    ("command", "question", "after"),
    [
        (VACUUM, "Delete these files? [y/N]:", (3, 1)),
        (RESTORE, "Go on? [y/N]:", (2, 2)),
    ],
    ids=["vacuum", "restore"],
)
def test_what_would_be_done_is_shown_and_done_when_it_is_wanted(lake, command, question, after):
    for refusal in (b"n\n", b"\x04"):
        code, shown = at_terminal(refusal, *command, lake)

        assert code == 1
        assert question in shown
        assert state(lake) == (1, 2)
    preview, _, _ = shown.partition(question)
    assert "1 file" in preview

    code, shown = at_terminal(b"y\n", *command, lake)

    assert (code, state(lake)) == (0, after), shown
    assert question in shown


@pytest.mark.parametrize(("command", "after"), [(VACUUM, (3, 1)), (RESTORE, (2, 2))])
def test_nobody_is_asked_who_said_yes(lake, command, after):
    code, shown = at_terminal(b"", *command, "--yes", lake)

    assert (code, state(lake)) == (0, after), shown
    assert "[y/N]" not in shown


def test_restore_does_not_ask_where_its_output_is_read_by_a_program(lake):
    with (lake.parent / "out").open("wb") as output:
        code, shown = at_terminal(b"", *RESTORE, lake, output=output)

    assert (code, shown, state(lake)) == (0, "", (2, 2))
    assert "restores version 0" in (lake.parent / "out").read_text()
