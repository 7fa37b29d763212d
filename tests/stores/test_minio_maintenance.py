"""VACUUM, RESTORE, SHALLOW CLONE and GENERATE on a server that speaks S3: how many requests, which.

The server knows no folders and no renames; files are deleted by lists of a thousand names.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.log.table_log import TableLog
from puredelta.maintenance.clone.clone import Clone
from puredelta.maintenance.clone.source import delta_source
from puredelta.maintenance.manifest import FOLDER, ManifestNames, write_manifests
from puredelta.maintenance.restore import check_files_exist, commit_restore, plan_restore
from puredelta.maintenance.vacuum.request import VacuumRequest
from puredelta.maintenance.vacuum.run import Vacuum
from puredelta.maintenance_settings import VacuumSettings
from puredelta.storage.object_store import ObjectStore
from puredelta.txn.transaction import Transaction
from tests.stores.minio import options
from tests.stores.proxy import Proxy
from tests.unit.maintenance.vacuum.lake import vector_in
from tests.unit.txn.tables import add, commit, create, paths, remove

pytestmark = pytest.mark.minio

STRAYS = 2_500
LIVE = ("p=1/a", "p=1/b", "p=2/c")


class Deletions:
    """Passes each request on, and counts those that delete."""

    def __init__(self):
        self.bulk = 0
        self.single = 0

    def __call__(self, head):
        line = head.partition(b"\r\n")[0]
        self.bulk += line.startswith(b"POST ") and b"delete" in line
        self.single += line.startswith(b"DELETE ")


@pytest.fixture
def deletions():
    return Deletions()


@pytest.fixture
def proxy(minio, deletions):
    with Proxy(minio.port, deletions) as found:
        yield found


@pytest.fixture
def log(minio, place):
    """A table whose files are there."""
    found = TableLog(ObjectStore(place, options(minio.port)))
    create(found, **{"delta.enableDeletionVectors": "true"})
    for name in LIVE:
        found.store.put(f"{name}.parquet", b"12345")
    commit(found, *(add(name, p=name[2]) for name in LIVE))
    return found


def put_all(store, names):
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: store.put(name, b"12345"), names))


def files(store):
    """The files that are there, without the log."""
    return [
        info.name
        for info in store.walk("", lambda _: True)
        if not info.name.startswith("_delta_log/")
    ]


def vacuum(log, proxy=None, *, lite=False, **settings):
    """A VACUUM an hour later that keeps the newest version alone."""
    store = log.store if proxy is None else ObjectStore(log.store.url, options(proxy.port))
    return Vacuum(
        log=TableLog(store),
        label="t",
        request=VacuumRequest(lite=lite, retain_hours=0),
        settings=VacuumSettings(retention_check=False, **settings),
        now=lambda: int(time.time() * 1000) + 3_600_000,
    )


@pytest.mark.timeout(180)
@pytest.mark.parametrize("parallel", [False, True])
def test_vacuum_deletes_a_thousand_files_a_request(log, proxy, deletions, parallel):
    put_all(log.store, [f"p={number % 3}/stray ä%20-{number}" for number in range(STRAYS)])

    preview = vacuum(log, proxy).preview()

    assert (preview.files, preview.bytes, preview.lost_versions) == (STRAYS, 5 * STRAYS, ())
    assert (deletions.bulk, deletions.single) == (0, 0)
    assert len(files(log.store)) == STRAYS + len(LIVE)

    done = vacuum(log, proxy, vacuum_parallel=parallel).run()

    assert (done.files, done.bytes, done.failed) == (STRAYS, 5 * STRAYS, 0)
    assert (deletions.bulk, deletions.single) == (3, 0)
    assert files(log.store) == [f"{name}.parquet" for name in LIVE]
    # As delta-spark has it for stores of Amazon's kind.
    assert log.latest().version == 1


def test_lite_deletes_what_the_log_says_in_one_request(log, proxy, deletions):
    put_all(log.store, ["stray"])
    commit(log, *(remove(name, p=name[2]) for name in LIVE[:2]))

    done = vacuum(log, proxy, lite=True).run()

    assert (done.files, deletions.bulk) == (2, 1)
    assert files(log.store) == ["p=2/c.parquet", "stray"]


def test_files_that_are_gone_already_are_no_failure(log):
    commit(log, *(remove(name, p=name[2]) for name in LIVE[:2]))
    log.store.delete([f"{LIVE[0]}.parquet"])

    assert vacuum(log, lite=True).run().failed == 0
    assert files(log.store) == [f"{LIVE[2]}.parquet"]


def test_vectors_that_the_newest_version_needs_stay(log):
    (vector, name), (_, stray) = vector_in(1), vector_in(2)
    put_all(log.store, [name, stray])
    commit(log, remove(LIVE[0]), add(LIVE[0], vector=vector, rows=9))

    assert vacuum(log).paths() == [stray]
    vacuum(log).run()
    assert name in files(log.store)


def test_restore_finds_what_is_gone_and_brings_the_rest_back(log):
    commit(log, *(remove(name, p=name[2]) for name in LIVE))
    commit(log, add("p=1/new"))

    def restore():
        plan = plan_restore("t", log.latest(), log.at_version(1))
        check_files_exist(plan)
        return commit_restore(Transaction(log, plan.before), plan, {"version": 1})

    restored = restore()

    assert (restored.version, restored.restored_files, restored.removed_files) == (4, 3, 1)
    assert paths(log.latest()) == [f"{name}.parquet" for name in LIVE]
    commit(log, remove(LIVE[0]))
    log.store.delete([f"{LIVE[0]}.parquet"])
    with pytest.raises(DeltaIllegalArgumentError, match="PUREDELTA_RESTORE_FILES_MISSING"):
        restore()


def test_clone_names_the_files_of_its_source_and_vacuum_leaves_them(log, minio):
    vector, name = vector_in(1)
    put_all(log.store, [name])
    commit(log, remove(LIVE[0]), add(LIVE[0], vector=vector, rows=9))
    given = options(minio.port)
    target = TableLog(ObjectStore(f"{log.store.url} clone", given))
    before = files(log.store)

    Clone(Transaction(target, None), delta_source("t", log.latest())).run()

    assert paths(target.latest()) == sorted(f"{log.store.url}/{one}.parquet" for one in LIVE)
    put_all(target.store, ["stray"])
    commit(target, *(add("p=1/own"), remove(f"{log.store.url}/{LIVE[1]}")))
    assert vacuum(target).run().files == 1
    assert (files(target.store), files(log.store)) == ([], before)


def test_manifests_name_files_by_their_url(log):
    commit(log, remove(LIVE[2], p="2"))
    put_all(log.store, [f"{FOLDER}/p=2/manifest"])

    assert write_manifests(log.latest(), ManifestNames()) == 1

    listed = log.store.read(f"{FOLDER}/p=1/manifest").decode().splitlines()
    assert sorted(listed) == [f"{log.store.url}/{name}.parquet" for name in LIVE[:2]]
    assert log.store.info(f"{FOLDER}/p=2/manifest") is None
