"""The health of a table, without Spark: what is found, what mends it, and what that costs."""

import msgspec
import pytest

from puredelta._util.clock import now_ms
from puredelta.log.actions import AddCdcFile, DeletionVector
from puredelta.maintenance.health.examination import examine_table
from tests.html_tables import texts_of
from tests.unit.maintenance.vacuum.lake import Lake
from tests.unit.txn.tables import add, commit, remove, table

MIB = 1 << 20
DAY = 24 * 60 * 60 * 1000


def sized(name, size, p="1", **options):
    return msgspec.structs.replace(add(name, p, **options), size=size)


def found(log, days=0):
    """Return the findings by code, some days later."""
    report = examine_table(log.latest(), "t", now=now_ms() + days * DAY)
    return {finding.code: finding for finding in report.findings}


def test_a_table_of_few_files_is_healthy():
    log = table()
    commit(log, sized("a", MIB), sized("b", MIB))

    report = examine_table(log.latest(), "t")

    assert report.is_healthy
    assert str(report) == "t, version 1, 2 files, 2.0 MiB: healthy"
    assert report.as_dict()["findings"] == ()


def test_small_files_are_found_with_what_optimize_rewrites():
    log = table()
    commit(log, *(sized(f"f{n}", MIB) for n in range(30)), sized("large", 200 * MIB))

    finding = found(log)["small-files"]

    assert finding.statement == "OPTIMIZE t"
    assert "30 of 31 files" in finding.text
    assert "29 files less" in finding.text
    assert (finding.files_to_rewrite, finding.bytes_to_rewrite) == (31, 230 * MIB)


def test_lone_file_of_a_partition_is_no_cost_of_optimize():
    log = table()
    commit(log, *(sized(f"f{n}", MIB) for n in range(30)), sized("lone", MIB, p="2"))

    finding = found(log)["small-files"]

    assert (finding.files_to_rewrite, finding.bytes_to_rewrite) == (30, 30 * MIB)


def test_small_files_alone_in_their_partitions_are_not_found():
    log = table()
    commit(log, *(sized(f"f{n}", MIB, p=str(n)) for n in range(30)))

    assert found(log) == {}


def test_a_partition_that_holds_most_of_the_table_is_found():
    log = table()
    small = (sized(f"f{n}", 40 * MIB, p=str(n)) for n in range(5))
    commit(log, *small, sized("large", 900 * MIB, p="x/y"))

    finding = found(log)["skewed-partitions"]

    assert "p=x%2Fy has 900.0 MiB" in finding.text
    assert finding.bytes_to_rewrite == 1100 * MIB


@pytest.mark.parametrize(("deleted", "is_found"), [(3, False), (6, True)])
def test_deleted_rows_are_found_from_a_share_on(deleted, is_found):
    log = table(**{"delta.enableDeletionVectors": "true"})
    vector = DeletionVector(
        storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=deleted
    )
    commit(log, sized("a", MIB, rows=100, vector=vector), sized("b", MIB))

    finding = found(log).get("deleted-rows")

    assert (finding is not None) == is_found
    if finding is not None:
        assert finding.statement == "REORG TABLE t APPLY (PURGE)"
        assert (finding.files_to_rewrite, finding.bytes_to_rewrite) == (1, MIB)


def test_missing_statistics_are_found():
    log = table()
    commit(log, add("a"), msgspec.structs.replace(add("b"), stats=None))

    assert "1 of 2 files" in found(log)["missing-statistics"].text


def test_a_long_log_is_found():
    log = table(**{"delta.checkpointInterval": "1000"})
    for number in range(101):
        commit(log, sized(f"f{number}", 64 * MIB))

    finding = found(log)["long-log"]

    assert "102 commits" in finding.text
    assert "'delta.checkpointInterval' = '10'" in finding.statement
    assert finding.cost == "no data file is touched"


def test_expired_tombstones_are_found():
    log = table()
    commit(log, *(add(f"f{n}") for n in range(1000)))
    commit(log, *(remove(f"f{n}") for n in range(1000)))

    assert "1,000 tombstones" in found(log)["expired-tombstones"].text


def test_files_of_no_version_are_found_once_they_are_old():
    log = table()
    commit(log, add("live"), add("gone"))
    later = msgspec.structs.replace(remove("gone"), deletion_timestamp=now_ms())
    commit(log, later)
    names = ("live.parquet", "gone.parquet", "p=1/stray.parquet", "_hidden", ".x", "_d/x.parquet")
    for name in (*names, "_change_data/c.parquet", "_p=1/stray.parquet"):
        log.store.put(name, b"12345")

    assert found(log, days=6) == {}
    finding = found(log, days=8)["unreferenced-files"]

    assert finding.statement == "VACUUM t"
    assert (finding.files_to_delete, finding.bytes_to_delete) == (3, 15)


def test_old_files_that_a_late_commit_names_are_retained():
    lake = Lake()
    lake.write("gone")
    lake.put("_change_data/c.parquet")
    began = lake.now
    lake.wait(8 * DAY)
    lake.delete("gone", began=began)
    lake.commit(
        AddCdcFile(path="_change_data/c.parquet", partition_values={}, size=10, data_change=False)
    )

    report = examine_table(lake.log.latest(), "t", now=lake.now)

    assert "unreferenced-files" not in {finding.code for finding in report.findings}
    assert lake.vacuum().preview().files == 0


def test_report_is_shown_as_html():
    log = table()
    commit(log, msgspec.structs.replace(add("b"), stats=None))

    shown = examine_table(log.latest(), "<t>")._repr_html_()

    assert "&lt;t&gt;, version 1, 1 files" in shown
    assert texts_of(shown)[0] == ["Code", "Found", "Mend", "Cost"]
    assert "missing-statistics" in [row[0] for row in texts_of(shown)]
