"""Logs that are damaged: what can be read is read right, and the rest is refused by name."""

import contextlib
import random
import shutil
from pathlib import Path

import pytest

from puredelta.errors import DeltaError, DeltaIllegalStateError
from puredelta.log.actions import (
    DomainMetadata,
    SetTransaction,
    encode_commit,
)
from puredelta.log.names import (
    LAST_CHECKPOINT,
    checkpoint_name,
    checksum_name,
    commit_name,
    compaction_name,
)
from puredelta.log.table_log import TableLog
from puredelta.storage.local import LocalStore
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import WRITE, add, commit, create, domain_of, paths

LAST = 12
ALL = sorted(f"f{number}.parquet" for number in range(1, LAST + 1))


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A table of 12 versions, checkpoints at 5 and 10, checksums and a compaction."""
    folder = tmp_path_factory.mktemp("tables") / "whole"
    log = TableLog(LocalStore(str(folder)))
    properties = {"delta.checkpointInterval": "5", "delta.feature.domainMetadata": "supported"}
    create(log, **properties)
    for number in range(1, LAST + 1):
        commit(log, add(f"f{number}"), domain_of("d", str(number)))
    compacted = [add(f"f{number}") for number in (11, 12)]
    log.store.put(compaction_name(11, 12), encode_commit([*compacted, domain_of("d", "12")]))
    return folder


@pytest.fixture
def table(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "t")


def opened(table: Path) -> TableLog:
    return TableLog(LocalStore(str(table)))


def content(log: TableLog) -> tuple:
    snapshot = log.latest()
    return (
        snapshot.version,
        snapshot.num_files,
        snapshot.size_in_bytes,
        paths(snapshot),
        snapshot.domains["d"].configuration,
    )


RIGHT = (LAST, LAST, LAST * 10, ALL, str(LAST))
NEEDLESS = [
    LAST_CHECKPOINT,
    checksum_name(LAST),
    checksum_name(10),
    checkpoint_name(10),
    checkpoint_name(5),
    compaction_name(11, 12),
]


@pytest.mark.parametrize("name", NEEDLESS)
@pytest.mark.parametrize("cut", [0, 1, 0.3, 0.7, -1, -8])
def test_file_that_only_saves_time_can_be_cut_short(table, name, cut):
    file = table / name
    data = file.read_bytes()
    length = int(len(data) * cut) if isinstance(cut, float) else cut
    file.write_bytes(data[:length])

    assert content(opened(table)) == RIGHT


@pytest.mark.parametrize("name", NEEDLESS)
@pytest.mark.parametrize("data", [b"\0" * 1000, b"{}?", b"[]", b"null\n", b"\xff\xfe", b"PAR1" * 9])
def test_file_that_only_saves_time_can_hold_anything(table, name, data):
    (table / name).write_bytes(data)

    assert content(opened(table)) == RIGHT


@pytest.mark.parametrize("name", NEEDLESS)
def test_file_that_only_saves_time_can_be_missing(table, name):
    (table / name).unlink()

    assert content(opened(table)) == RIGHT


@pytest.mark.parametrize("names", [NEEDLESS[:3], NEEDLESS[3:], NEEDLESS])
def test_many_of_them_can_be_damaged_at_once(table, names):
    for name in names:
        (table / name).write_bytes(b"\0\0")

    assert content(opened(table)) == RIGHT


@pytest.mark.parametrize("name", NEEDLESS)
def test_next_commit_to_a_damaged_log_lands_and_heals_it(table, name):
    (table / name).write_bytes(b"?")
    log = opened(table)
    for number in range(13, 16):
        commit(log, add(f"f{number}"))

    healed = opened(table).latest()

    assert healed.segment.checkpoint_version == 15
    assert healed.num_files == len(paths(healed)) == 15


@pytest.mark.parametrize(
    "hint",
    [
        '{"version":5,"size":7}',
        '{"version":10,"size":7,"parts":3}',
        '{"version":11,"size":7}',
        '{"version":9223372036854775807,"size":7}',
        '{"version":10,"size":7,"v2Checkpoint":{"path":"no","sizeInBytes":1,"modificationTime":1}}',
        '{"version":10,"size":7,"checksum":"0123"}',
    ],
)
def test_hint_that_is_late_or_wrong_does_not_matter(table, hint):
    (table / LAST_CHECKPOINT).write_text(hint)

    assert content(opened(table)) == RIGHT
    assert opened(table).at_version(7).num_files == 7


@pytest.mark.parametrize(
    ("damage", "condition"),
    [
        (lambda data: data[: len(data) // 2], "DELTA_LOG_FILE_MALFORMED"),
        (lambda data: data[:-3], "DELTA_LOG_FILE_MALFORMED"),
        (lambda data: b"\0" * len(data), "DELTA_LOG_FILE_MALFORMED"),
        (lambda data: data.replace(b'"size":10', b'"size":-10'), "DELTA_LOG_FILE_MALFORMED"),
        (
            lambda data: data.replace(b'"size":10', b'"size":%d' % 10**40),
            "DELTA_LOG_FILE_MALFORMED",
        ),
        (lambda data: data.replace(b'"size":10', b'"size":"x"'), "DELTA_LOG_FILE_MALFORMED"),
        (lambda data: data.replace(b'"size":10', b'"size":1e400'), "DELTA_LOG_FILE_MALFORMED"),
        (lambda data: data.replace(b'"path"', b'"way"'), "DELTA_LOG_FILE_MALFORMED"),
        (
            lambda data: data + b'{"txn":{"appId":"a","version":%d}}' % 2**64,
            "DELTA_LOG_FILE_MALFORMED",
        ),
        (lambda data: data + b"[" * 100_000, "DELTA_LOG_FILE_MALFORMED"),
        (lambda data: data + b"\xff\xff", "DELTA_LOG_FILE_MALFORMED"),
    ],
)
def test_damaged_commit_is_refused_by_name(table, damage, condition):
    file = table / commit_name(12)
    (table / compaction_name(11, 12)).unlink()
    file.write_bytes(damage(file.read_bytes()))

    with pytest.raises(DeltaIllegalStateError) as raised:
        content_of_files(opened(table))

    assert raised.value.condition == condition
    assert raised.value.parameters["path"] == commit_name(12)


def content_of_files(log: TableLog) -> list[str]:
    return paths(log.latest())


def test_older_version_than_the_damage_can_be_read(table):
    (table / commit_name(12)).write_bytes(b"{")
    (table / compaction_name(11, 12)).unlink()

    assert opened(table).at_version(11).num_files == 11


def test_empty_commit_changes_nothing(table):
    (table / commit_name(13)).write_bytes(b"")

    found = content(opened(table))

    assert found == (13, *RIGHT[1:])


def test_missing_commit_is_refused_with_those_that_are_there(table):
    (table / commit_name(11)).unlink()

    with pytest.raises(DeltaIllegalStateError) as raised:
        opened(table).latest()

    assert raised.value.condition == "DELTA_VERSIONS_NOT_CONTIGUOUS"
    assert raised.value.parameters["versionList"] == "12"


def test_version_far_beyond_the_others_is_refused_as_a_gap(table):
    (table / commit_name(2**63 - 1)).write_bytes(b"{}")

    with pytest.raises(DeltaIllegalStateError, match="DELTA_VERSIONS_NOT_CONTIGUOUS"):
        opened(table).latest()


def test_version_beyond_64_bits_is_not_of_the_table(table):
    (table / commit_name(2**63)).write_bytes(b"{}")

    assert content(opened(table)) == RIGHT


def test_strange_files_do_not_matter(table):
    log = table / "_delta_log"
    for name in ("x.json", "1.checkpoint.parquet.tmp", f"{13:020}.json.tmp", "_last_vacuum_info"):
        (log / name).write_bytes(b"?")
    (log / f"{13:020}.checkpoint.{1:010}.{10**9:010}.parquet").write_bytes(b"?")
    (log / f"{2:020}.{1:020}.compacted.json").write_bytes(b"?")
    (log / f"{99:020}.crc").write_bytes(b"?")

    assert content(opened(table)) == RIGHT


@pytest.mark.parametrize("seed", range(60))
def test_flipped_bytes_give_an_error_of_ours_or_a_table(table, seed):
    """Nothing else than our errors comes out, whatever stands in a commit or a hint."""
    chance = random.Random(seed)
    for name in chance.sample([commit_name(11), commit_name(12), *NEEDLESS], 3):
        data = bytearray((table / name).read_bytes())
        for _ in range(3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        (table / name).write_bytes(bytes(data))

    log = opened(table)
    with contextlib.suppress(DeltaError):
        log.latest().files.validate(full=True)
        log.history()


def test_actions_that_we_do_not_act_on_survive(tmp_path):
    log = opened(tmp_path / "t")
    properties = {"delta.checkpointInterval": "2", "delta.feature.domainMetadata": "supported"}
    create(log, **properties)
    new_add = encode_commit([add("a")])[len(b'{"add":{') :]
    actions = [
        b'{"commitInfo":{"operation":"X","strange":{"a":[1]},"operationMetrics":{"n":1}}}',
        b'{"somethingNew":{"a":1}}',
        b'{"domainMetadata":{"domain":"theirs","configuration":"{}","removed":false,"x":1}}',
        b'{"txn":{"appId":"app","version":3,"later":true}}',
        b'{"cdc":{"path":"_change_data/c","partitionValues":{},"size":1,"dataChange":false}}',
        b'{"add":{"backReference":{"x":1},' + new_add.strip(),
    ]
    log.store.put_if_absent(commit_name(1), b"\n".join(actions))
    commit(log, add("b"))

    found = opened(tmp_path / "t").latest()

    assert found.segment.checkpoint_version == 2
    assert found.domains["theirs"] == DomainMetadata(
        domain="theirs", configuration="{}", removed=False
    )
    assert found.transactions["app"] == SetTransaction(app_id="app", version=3)
    assert paths(found) == ["a.parquet", "b.parquet"]
    assert log.store.read(commit_name(1)).splitlines() == actions


def test_checkpoint_of_a_table_that_was_here_before_does_not_count(tmp_path):
    old = opened(tmp_path / "t")
    create(old, **{"delta.checkpointInterval": "2"})
    for name in "abcd":
        commit(old, add(name))
    hint = old.store.read(LAST_CHECKPOINT)
    shutil.rmtree(tmp_path / "t")
    new = opened(tmp_path / "t")
    create(new)
    new.store.put(LAST_CHECKPOINT, hint)

    assert opened(tmp_path / "t").latest().version == 0
    assert commit(new, add("x")).version == 1


def test_wrong_checksum_of_the_version_before_does_not_spread(table):
    (table / checksum_name(LAST)).write_bytes(b'{"numFiles":3}')
    log = opened(table)
    Transaction(log, log.latest()).commit([add("f13")], WRITE)

    assert opened(table).latest().num_files == 13
