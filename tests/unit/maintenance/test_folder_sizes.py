"""The files in the folder of a table, by kind."""

import msgspec

from puredelta.log.names import SIDECAR_FOLDER, checkpoint_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.maintenance.folder_sizes import FileKind, folder_sizes
from tests.unit.maintenance.vacuum.lake import Lake, vector_in
from tests.unit.txn.tables import add, remove


def counts(lake):
    """Return files and bytes by kind, of the kinds that have files; the log is left out."""
    found = folder_sizes(lake.log.latest())
    return {
        each.kind: (each.files, each.size)
        for each in found.kinds
        if each.files and each.kind is not FileKind.LOG
    }


def test_files_of_the_latest_version_and_of_older_ones():
    lake = Lake()
    lake.write("a", "b", "c")
    lake.delete("a")

    assert counts(lake) == {FileKind.DATA: (2, 20), FileKind.OLDER: (1, 10)}


def test_older_files_are_known_from_the_checkpoint_alone():
    lake = Lake()
    lake.write("a", "b")
    lake.delete("a")
    write_checkpoint(lake.log.latest(), tombstones_since=0)
    size = lake.store.info(checkpoint_name(2)).size
    lake.store.delete([f"_delta_log/{version:020}.json" for version in range(2)])

    assert counts(lake) == {
        FileKind.DATA: (1, 10),
        FileKind.OLDER: (1, 10),
        FileKind.CHECKPOINTS: (1, size),
    }


def test_older_files_are_known_from_the_commits_alone():
    lake = Lake()
    lake.write("a", "b")
    # The tombstone has expired, and the checkpoint has forgotten it.
    lake.delete("a", began=1)
    write_checkpoint(lake.log.latest(), tombstones_since=2)

    assert counts(lake)[FileKind.OLDER] == (1, 10)


def test_vectors_of_the_latest_version_and_of_older_ones():
    lake = Lake(**{"delta.enableDeletionVectors": "true"})
    (old, old_name), (new, new_name) = vector_in(1), vector_in(2)
    lake.write("a")
    lake.put(old_name, b"123")
    lake.put(new_name, b"12345")
    lake.commit(remove("a"), add("a", vector=old))
    gone = msgspec.structs.replace(remove("a"), deletion_vector=old)
    lake.commit(gone, add("a", vector=new))

    assert counts(lake) == {
        FileKind.DATA: (1, 10),
        FileKind.VECTORS: (1, 5),
        FileKind.OLDER: (1, 3),
    }


def test_change_data_and_what_the_log_does_not_name():
    lake = Lake()
    lake.write("a")
    lake.change("_change_data/c.parquet")
    for name in ("p=1/stray.parquet", "_change_data/stray.parquet", "_p=1/stray.parquet"):
        lake.put(name)
    for name in ("_SUCCESS", "_symlink_format_manifest/p=1/manifest", ".part.parquet.crc"):
        lake.put(name, b"1")

    assert counts(lake) == {
        FileKind.DATA: (1, 10),
        FileKind.CHANGES: (1, 10),
        FileKind.UNREFERENCED: (2, 20),
        FileKind.OTHER: (4, 13),
    }


def test_log_is_counted_without_checkpoints():
    lake = Lake()
    lake.put(f"{SIDECAR_FOLDER}/x.parquet", b"12")
    lake.put("_delta_log/00000000000000000000.crc", b"123")

    found = folder_sizes(lake.log.latest())

    sizes = {each.kind: each for each in found.kinds}
    commit = lake.store.info("_delta_log/00000000000000000000.json").size
    assert (sizes[FileKind.LOG].files, sizes[FileKind.LOG].size) == (2, commit + 3)
    assert sizes[FileKind.CHECKPOINTS].size == 2
    assert (found.files, found.size) == (3, commit + 5)


def test_missing_files_and_files_elsewhere():
    lake = Lake()
    lake.write("here", "gone")
    lake.store.delete(["gone.parquet"])
    far = msgspec.structs.replace(add("far"), path="s3://other/far.parquet")
    inside = msgspec.structs.replace(add("in"), path="memory:///t/in.parquet")
    lake.put("in.parquet")
    lake.commit(far, inside)

    found = folder_sizes(lake.log.latest())

    assert found.missing == 1
    assert [(each.files, each.size) for each in found.elsewhere] == [(1, 10)]
    assert counts(lake)[FileKind.DATA] == (2, 20)
    # What is elsewhere takes no room in the folder.
    listed = list(lake.store.walk("", lambda _: True))
    assert (found.files, found.size) == (len(listed), sum(info.size for info in listed))
