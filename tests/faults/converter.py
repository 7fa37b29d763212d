"""Processes that convert a folder of Parquet without Spark, killed at will."""

import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import ConvertTarget
from puredelta.errors import ConcurrentWriteError
from puredelta.settings import CommitSettings, LargeCommit
from tests.faults.writer import Counter

FILES = 6
ROWS = 4

# A few files make a commit of several pieces, and get a checkpoint.
FEW_ARE_MANY = ConversionSettings(
    commit=CommitSettings(large=LargeCommit(files=2, files_for_checkpoint=1))
)


def make_folder(path, files=FILES):
    """Write plain Parquet files into folders of partitions."""
    for number in range(files):
        folder = Path(path, f"p={number % 3}")
        folder.mkdir(parents=True, exist_ok=True)
        ids = range(number * ROWS, (number + 1) * ROWS)
        pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), folder / f"{number}.parquet")


def command(path, **asked):
    """The command that converts a folder."""
    target = ConvertTarget(provider="parquet", location=str(path), label=str(path))
    request = ConvertRequest(infer_partitions=True, **asked)
    return ConvertToDeltaCommandBase(target=target, request=request, settings=FEW_ARE_MANY)


def convert(path, kill_at, told):
    """Convert, and tell how much was asked of the system."""
    counter = Counter(kill_at)
    counter.watch_system(path)
    done = command(path).run()
    told.send(("done", done.version))
    told.send(("calls", counter.calls))


def convert_when_told(path, start, told):
    """Convert as soon as all are there, and tell how it ended."""
    told.send("ready")
    start.wait()
    try:
        done = command(path).run()
    except ConcurrentWriteError as error:
        told.send(("told", error.condition))
    else:
        told.send(("already", None) if done.is_delta_already else ("converted", done.version))


def convert_slowly(path, kill_at, told):
    """Convert with a rest before each file, until somebody kills it."""
    del kill_at
    slow = command(path)
    hurried = slow.create_delta_actions

    def with_rests(table):
        for add in hurried(table):
            told.send(("file", add.path))
            time.sleep(0.01)
            yield add

    slow.create_delta_actions = with_rests
    slow.run()
    told.send(("done", 0))
