"""Writers that race for the versions of one table, each a process; and what they left behind."""

import json
import multiprocessing
from collections.abc import Mapping

from puredelta.errors import DeltaConcurrentModificationError
from puredelta.log.actions import AddFile, Format, Metadata, RemoveFile
from puredelta.log.names import LOG_FOLDER, LogFileKind, parse
from puredelta.log.table_log import open_log
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.storage.store import Store
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

SCHEMA = StructType((StructField("a", LONG),))
WRITE = Operation("WRITE")


def create(url: str, options: Mapping[str, str]) -> None:
    protocol, configuration = protocol_for_new_table({}, SCHEMA)
    metadata = Metadata(
        id="11111111-1111-1111-1111-111111111111",
        format=Format(),
        schema_string=schema_to_json(SCHEMA),
        partition_columns=[],
        configuration=configuration,
    )
    Transaction(open_log(url, options), None).commit(
        [], Operation("CREATE TABLE"), metadata=metadata, protocol=protocol
    )


def add(name: str) -> AddFile:
    return AddFile(path=name, partition_values={}, size=1, modification_time=1, data_change=True)


def remove(path: str) -> RemoveFile:
    return RemoveFile(path=path, deletion_timestamp=1, data_change=True, partition_values={})


def append(url, options, writer, commits, start):
    """Append files, each in a commit of its own."""
    log = open_log(url, options)
    start.wait()
    for number in range(commits):
        Transaction(log, log.latest()).commit([add(f"{writer}-{number}")], WRITE)


def count_up(url, options, _writer, commits, start):
    """Replace the one file that counts; who read what another replaced must fail, and repeats."""
    log = open_log(url, options)
    start.wait()
    done = 0
    while done < commits:
        snapshot = log.latest()
        transaction = Transaction(log, snapshot)
        transaction.read_whole_table()
        (old,) = snapshot.files["path"].to_pylist()
        try:
            transaction.commit([remove(old), add(f"n-{int(old[2:]) + 1}")], Operation("UPDATE"))
        except DeltaConcurrentModificationError:
            continue
        done += 1


def race(work, url, options, *, writers, commits, timeout=240):
    """Run a function in processes that start at the same moment."""
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(writers)
    running = [
        context.Process(target=work, args=(url, options, number, commits, start))
        for number in range(writers)
    ]
    for process in running:
        process.start()
    for process in running:
        process.join(timeout=timeout)
    assert [process.exitcode for process in running] == [0] * writers


def history(store: Store) -> list[dict[str, list[dict]]]:
    """Every commit, oldest first: the actions by kind."""
    listed = [(parse(info.name), info.name) for info in store.list_from(LOG_FOLDER)]
    names = [name for one, name in listed if one and one.kind is LogFileKind.COMMIT]
    versions = [one.version for one, _ in listed if one and one.kind is LogFileKind.COMMIT]
    assert versions == list(range(len(versions)))
    found = []
    for data in store.read_all(names):
        actions: dict[str, list[dict]] = {}
        for line in data.splitlines():
            ((kind, action),) = json.loads(line).items()
            actions.setdefault(kind, []).append(action)
        found.append(actions)
    return found


def check_appends(store: Store, writers: int, commits: int) -> None:
    """Each file once, each commit with a token of its own."""
    seen = history(store)
    assert len(seen) == 1 + writers * commits
    added = [add["path"] for commit in seen for add in commit.get("add", [])]
    assert sorted(added) == sorted(f"{w}-{n}" for w in range(writers) for n in range(commits))
    assert len({commit["commitInfo"][0]["txnId"] for commit in seen}) == len(seen)


def check_counting(store: Store, total: int) -> None:
    """Each commit took away exactly what the one before had left: no update is lost."""
    left = "n-0"
    seen = history(store)[2:]
    for commit in seen:
        assert [one["path"] for one in commit["remove"]] == [left]
        (left,) = (one["path"] for one in commit["add"])
    assert left == f"n-{total}"
    assert len(seen) == total
