"""Processes that race for versions of one table on disk: a serial history, and no commit lost."""

import json
import multiprocessing
from pathlib import Path

import pytest

from puredelta.errors import DeltaConcurrentModificationError
from puredelta.log.actions import AddFile, Format, Metadata, RemoveFile
from puredelta.log.table_log import open_log
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.patience import patient

SCHEMA = StructType((StructField("a", LONG),))
PROCESSES = 2
COMMITS = 20


def create(path):
    protocol, configuration = protocol_for_new_table({}, SCHEMA)
    metadata = Metadata(
        id="11111111-1111-1111-1111-111111111111",
        format=Format(),
        schema_string=schema_to_json(SCHEMA),
        partition_columns=[],
        configuration=configuration,
    )
    log = open_log(path)
    Transaction(log, None).commit(
        [], Operation("CREATE TABLE"), metadata=metadata, protocol=protocol
    )


def add(name):
    return AddFile(
        path=f"{name}.parquet", partition_values={}, size=1, modification_time=1, data_change=True
    )


def remove(path):
    return RemoveFile(path=path, deletion_timestamp=1, data_change=True, partition_values={})


def create_and_append(path, writer, start, created):
    """Try to create the table, then append files, each in a commit of its own."""
    start.wait()
    try:
        create(path)
        created.put(writer)
    except DeltaConcurrentModificationError:
        pass
    log = open_log(path)
    for number in range(COMMITS):
        transaction = Transaction(log, log.latest(), engine=f"writer {writer}")
        transaction.commit([add(f"{writer}-{number}")], Operation("WRITE"))


def replace(path, writer, start, done):
    """Replace the one file that counts; who read what another replaced must fail."""
    done.put(writer)
    log = open_log(path)
    start.wait()
    count = 0
    while count < COMMITS // 2:
        snapshot = log.latest()
        transaction = Transaction(log, snapshot, engine=f"writer {writer}")
        transaction.read_whole_table()
        (old,) = snapshot.files["path"].to_pylist()
        number = int(old.removesuffix(".parquet").partition("-")[2]) + 1
        try:
            transaction.commit([remove(old), add(f"n-{number}")], Operation("UPDATE"))
        except DeltaConcurrentModificationError:
            continue
        count += 1


def race(work, path):
    """Run a function in processes that start at the same moment; give back what they tell."""
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(PROCESSES)
    told = context.Queue()
    running = [
        context.Process(target=work, args=(path, number, start, told))
        for number in range(PROCESSES)
    ]
    for process in running:
        process.start()
    for process in running:
        process.join(timeout=patient(60))
    assert [process.exitcode for process in running] == [0] * PROCESSES
    return told


def history(path):
    """Every commit, oldest first, as its lines."""
    names = sorted((Path(path) / "_delta_log").glob("*.json"))
    assert [int(name.stem) for name in names] == list(range(len(names)))
    return [[json.loads(line) for line in name.read_text().splitlines()] for name in names]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "t")


def test_one_of_racing_creations_wins_and_all_appends_land_once(path):
    created = race(create_and_append, path)

    assert created.get(timeout=patient(5)) in range(PROCESSES)
    assert created.empty()
    commits = history(path)
    assert len(commits) == 1 + PROCESSES * COMMITS
    added = [line["add"]["path"] for commit in commits for line in commit if "add" in line]
    assert len(added) == len(set(added)) == PROCESSES * COMMITS
    tokens = {commit[0]["commitInfo"]["txnId"] for commit in commits}
    assert len(tokens) == len(commits)
    assert open_log(path).latest().num_files == PROCESSES * COMMITS


def test_racing_replacements_happen_one_after_the_other(path):
    create(path)
    log = open_log(path)
    Transaction(log, log.latest()).commit([add("n-0")], Operation("WRITE"))

    race(replace, path)

    replaced = PROCESSES * (COMMITS // 2)
    assert open_log(path).latest().files["path"].to_pylist() == [f"n-{replaced}.parquet"]
    # Each commit but the first two took away exactly what the one before had left.
    left = "n-0.parquet"
    for commit in history(path)[2:]:
        actions = {next(iter(line)): next(iter(line.values())) for line in commit}
        assert actions["remove"]["path"] == left
        left = actions["add"]["path"]
