"""Which paths of a log are in the folder of the table, whatever they are called."""

import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.maintenance.vacuum.table_root import TableRoot


@pytest.mark.parametrize(
    ("root", "path", "name"),
    [
        ("file:///t", "p=1/a.parquet", "p=1/a.parquet"),
        ("file:///t", "..a.parquet", "..a.parquet"),
        ("file:///t", "a:b.parquet", "a:b.parquet"),
        ("file:///t", "file:///t/a.parquet", "a.parquet"),
        ("file:///t", "/t/a.parquet", "a.parquet"),
        ("file:///t", "../t/a.parquet", "a.parquet"),
        ("file:///t", "../u/a.parquet", None),
        ("file:///t", "file:///tt/a.parquet", None),
        ("file:///t", "s3://bucket/t/a.parquet", None),
        ("s3://bucket/t", "s3n://bucket/t/a.parquet", "a.parquet"),
        ("s3://bucket/t", "s3://other/t/a.parquet", None),
        ("gcs://bucket/t", "gs://bucket/t/a.parquet", "a.parquet"),
        (
            "abfss://box@acc.dfs.core.windows.net/t",
            "wasbs://box@acc.blob.core.windows.net/t/a.parquet",
            "a.parquet",
        ),
        ("hdfs://one/t", "hdfs://one/u/a.parquet", None),
    ],
)
def test_name_of(root, path, name):
    assert TableRoot(root).name_of(path) == name


def test_links_of_this_machine_are_followed(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "t")

    by_link = TableRoot(f"file://{tmp_path}/link")
    by_folder = TableRoot(f"file://{tmp_path}/t")

    assert by_link.name_of(f"file://{tmp_path}/t/p=1/a") == "p=1/a"
    assert by_folder.name_of(f"file://{tmp_path}/link/a") == "a"
    assert by_folder.name_of(f"file://{tmp_path}/u/a") is None


def test_what_is_behind_a_link_is_not_in_the_table(tmp_path):
    (tmp_path / "t/p=1").mkdir(parents=True)
    (tmp_path / "t/p=2").symlink_to("p=1")
    (tmp_path / "t/out").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "t")

    for root in (TableRoot(f"file://{tmp_path}/t"), TableRoot(f"file://{tmp_path}/link")):
        assert root.contains("a")
        assert root.contains("p=1/a")
        assert root.contains("nowhere/a")
        assert not root.contains("p=2/a")
        assert not root.contains("out/a")
        assert root.without_links("p=2/a") == "p=1/a"
        assert root.without_links("out/t/a") == "a"
        assert root.without_links("out/a") == "out/a"


@pytest.mark.parametrize("name", ["", "../a", "a/../../b", "_delta_log/x.json", "a/", "a//b"])
def test_names_that_no_listing_has_are_not_in_the_table(name):
    assert not TableRoot("file:///t").contains(name)
    assert not TableRoot("memory:///t").contains(name)


@pytest.mark.parametrize("path", ["hdfs://host:8020/t/a", "viewfs://cluster/t/a"])
def test_file_system_with_several_names_is_refused_unless_that_is_ignored(path):
    with pytest.raises(DeltaIllegalStateError) as raised:
        TableRoot("hdfs://one/t").name_of(path)

    assert raised.value.condition == "DELTA_FAIL_RELATIVIZE_PATH"
    ignoring = TableRoot("hdfs://one/t", ignores_foreign=True)
    assert ignoring.name_of(path) == "a"
    assert ignoring.name_of("viewfs://cluster/u/a") is None
