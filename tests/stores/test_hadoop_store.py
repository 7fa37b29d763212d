"""Tables on HDFS through the session's own Hadoop, and file systems that are refused.

`make test-stores` fetches a small HDFS with Maven and runs what needs one.
"""

import multiprocessing
import uuid

import pytest

from puredelta.engine.hadoop.store import HadoopStore
from puredelta.engine.session.paths import hadoop_conf
from puredelta.errors import (
    DeltaIllegalArgumentError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.table_log import TableLog, open_log
from puredelta.storage.local import LocalStore
from puredelta.storage.schemes import open_store
from tests.stores.minio import free_port
from tests.stores.racing import WRITE, add, append, check_appends, check_counting, count_up, create
from tests.unit.storage.promises import StorePromises

WRITERS = 2
COMMITS = 10


@pytest.fixture
def place(hdfs_root):
    return f"{hdfs_root}/{uuid.uuid4().hex}/t ä#%41"


@pytest.mark.hdfs
class TestHdfs(StorePromises):
    @pytest.fixture
    def store(self, request, place):
        request.getfixturevalue("spark")
        return open_store(place)

    def test_store_is_hadoops(self, store):
        assert isinstance(store, HadoopStore)

    def test_nothing_is_left_beside_a_file(self, store):
        store.put_if_absent("log/a", b"1")
        store.put_if_absent("log/a", b"2")
        store.put("log/a", b"3")

        assert [info.name for info in store.list_from("log")] == ["log/a"]


class TestHadoopsOwnLocalFiles(StorePromises):
    """Hadoop's calls on a file system that needs no server, as if its renames were atomic."""

    @pytest.fixture
    def store(self, spark, tmp_path):
        options = {"fs.file.impl.disable.cache": "true"}
        url = f"file://{tmp_path}/t ä#%41"
        return HadoopStore(url, hadoop_conf(spark, options), options, frozenset({"file"}))

    # What Hadoop cannot do on local files, and why file: has a store of its own.
    test_of_racing_writers_exactly_one_wins = None


@pytest.mark.usefixtures("spark")
def test_view_of_this_machine_is_opened_where_it_leads_to(tmp_path):
    cluster = uuid.uuid4().hex
    (tmp_path / "behind").mkdir()
    mounts = {f"fs.viewfs.mounttable.{cluster}.link./m": f"file://{tmp_path}/behind"}

    store = open_store(f"viewfs://{cluster}/m/new/t ä", mounts)

    assert isinstance(store, LocalStore)
    assert store.url == f"file://{tmp_path}/behind/new/t ä"


@pytest.mark.hdfs
@pytest.mark.usefixtures("spark")
def test_view_of_hdfs_is_opened_where_it_leads_to(hdfs_root):
    cluster = uuid.uuid4().hex
    mounts = {f"fs.viewfs.mounttable.{cluster}.link./m": f"{hdfs_root}/{cluster}"}
    open_store(f"{hdfs_root}/{cluster}").put("there", b"")

    store = open_store(f"viewfs://{cluster}/m/t", mounts)

    assert store.url == f"{hdfs_root}/{cluster}/t"
    assert store.put_if_absent("a", b"1")
    assert not store.put_if_absent("a", b"2")


def test_status_of_a_wrapping_class_is_read_right(spark, tmp_path):
    cluster = uuid.uuid4().hex
    (tmp_path / "behind/log").mkdir(parents=True)
    (tmp_path / "behind/log/a b").write_bytes(b"123")
    mounts = {f"fs.viewfs.mounttable.{cluster}.link./m": f"file://{tmp_path}/behind"}
    store = HadoopStore(f"viewfs://{cluster}/m", hadoop_conf(spark, mounts), mounts)

    (info,) = store.list_from("log")

    assert (info.name, info.size) == ("log/a b", 3)
    assert store.info("log/a b") == info
    assert store.list_from("") == []


@pytest.mark.parametrize(
    ("url", "condition"),
    [
        ("ftp://host/t", "DELTA_STORAGE_NO_PUT_IF_ABSENT.HADOOP_NOT_ATOMIC"),
        ("webhdfs://localhost:1/t", "DELTA_STORAGE_NO_PUT_IF_ABSENT.HADOOP_UNSURE"),
        ("http://localhost:1/t", "DELTA_STORAGE_NO_PUT_IF_ABSENT.READ_ONLY"),
    ],
)
def test_file_system_that_cannot_decide_is_refused_before_a_write(spark, url, condition):
    store = open_store(url)

    for attempt in (store.require_put_if_absent, lambda: store.put_if_absent("a", b"")):
        with pytest.raises(DeltaUnsupportedOperationError, match="Cannot write to") as raised:
            attempt()
        assert raised.value.condition == condition


def test_user_can_vouch_for_a_file_system(spark):
    setting = "spark.delta.logStore.webhdfs.impl"
    spark.conf.set(setting, "io.delta.storage.HDFSLogStore")
    try:
        open_store("webhdfs://localhost:1/t").require_put_if_absent()
    finally:
        spark.conf.unset(setting)


def test_scheme_that_the_session_does_not_know_is_named(spark):
    with pytest.raises(DeltaIllegalArgumentError, match="'nowhere'") as raised:
        open_store("nowhere://host/t")

    assert raised.value.condition == "DELTA_STORAGE_SCHEME_NOT_IN_SESSION"


def test_name_node_that_is_not_there_is_named(spark):
    options = {"ipc.client.connect.max.retries": "0"}
    conf = hadoop_conf(spark, options)
    store = HadoopStore(f"hdfs://localhost:{free_port()}/t", conf, options)

    with pytest.raises(DeltaRuntimeError, match="gave no answer") as raised:
        store.list_from("_delta_log")

    assert raised.value.condition == "DELTA_STORAGE_UNREACHABLE"


@pytest.mark.hdfs
def test_folder_of_another_user_is_named(spark, place):
    options = {"fs.hdfs.impl.disable.cache": "true"}
    open_store(place).put("a", b"1")
    conf = hadoop_conf(spark, options)
    files = HadoopStore(place, conf, options).files
    permission = spark._jvm.org.apache.hadoop.fs.permission.FsPermission("000")
    files._files.setPermission(files.path("a"), permission)
    stranger = spark._jvm.org.apache.hadoop.security.UserGroupInformation.createRemoteUser("eve")
    files._files = spark._jvm.org.apache.hadoop.fs.FileSystem.get(
        files.path("").toUri(), conf, stranger.getUserName()
    )

    with pytest.raises(DeltaRuntimeError, match="HADOOP_USER_NAME") as raised:
        files.read("a")

    assert raised.value.condition == "DELTA_STORAGE_ACCESS_DENIED.HADOOP"


@pytest.mark.hdfs
def test_dataframes_and_statements_work_on_hdfs(spark, place):
    spark.range(5).write.format("delta").save(place)
    spark.range(20_000).write.format("delta").mode("append").save(place)
    spark.sql(f"INSERT INTO delta.`{place}` VALUES (100)")

    assert spark.read.format("delta").load(place).count() == 20_006
    assert spark.sql(f"DESCRIBE HISTORY delta.`{place}`").count() == 3


def with_a_session(work, *arguments):
    """Run a writer in a process of its own, with a Spark session of its own."""
    from pyspark.sql import SparkSession

    import puredelta

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = puredelta.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    work(*arguments)
    session.stop()


@pytest.mark.hdfs
@pytest.mark.parametrize(("work", "check"), [(append, "appends"), (count_up, "counting")])
def test_two_processes_race_on_hdfs_and_no_commit_is_lost(spark, place, work, check):
    create(place, {})
    if check == "counting":
        log = open_log(place)
        from puredelta.txn.transaction import Transaction

        Transaction(log, log.latest()).commit([add("n-0")], WRITE)
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(WRITERS)
    running = [
        context.Process(target=with_a_session, args=(work, place, {}, number, COMMITS, start))
        for number in range(WRITERS)
    ]
    for process in running:
        process.start()
    for process in running:
        process.join(timeout=200)

    assert [process.exitcode for process in running] == [0] * WRITERS
    if check == "counting":
        check_counting(open_store(place), WRITERS * COMMITS)
    else:
        check_appends(open_store(place), WRITERS, COMMITS)
        assert TableLog(open_store(place)).latest().num_files == WRITERS * COMMITS
