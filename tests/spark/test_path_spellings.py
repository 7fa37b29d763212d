"""Rows change in files whose paths other writers spelled in other ways than ours."""

import json

import pytest

from tests.spark.hand_made import LOG, last_version, with_files, write_rows


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_rows_change_in_files_however_their_paths_are_spelled(spark, tmp_path, vectors):
    root = tmp_path / "t"
    places = {
        "./a.parquet": "t/a.parquet",
        "%62.parquet": "t/b.parquet",
        "../other/c..d.parquet": "other/c..d.parquet",
        f"file:{tmp_path}/other/e.parquet": "other/e.parquet",
        f"{tmp_path}/other/x/../f.parquet": "other/f.parquet",
        "..g.parquet": "t/..g.parquet",
    }
    file = write_rows(tmp_path / "rows", 3)
    with_files(root, file, {path: tmp_path / place for path, place in places.items()})
    name = f"delta.`{root}`"
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableDeletionVectors' = {vectors})")

    assert spark.sql(f"DELETE FROM {name} WHERE id = 0").first()[0] == len(places)
    first = removed(root)
    assert spark.sql(f"UPDATE {name} SET id = 20 WHERE id = 2").first()[0] == len(places)

    rows = [row.id for row in spark.table(name).collect()]
    assert sorted(rows) == [1] * len(places) + [20] * len(places)
    # Who compares paths as texts, as delta-spark does, takes the same files away.
    plain = f"file://{tmp_path}/other/x/../f.parquet"
    assert set(first) == {*(path for path in places if not path.startswith("/")), plain}


def removed(root) -> list[str]:
    lines = (root / LOG / f"{last_version(root):020}.json").read_text("utf-8").splitlines()
    return [line["remove"]["path"] for line in map(json.loads, lines) if "remove" in line]
