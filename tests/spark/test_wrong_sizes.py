"""No rows are lost where the log tells a wrong size of a file, and the reader is warned."""

import json
import logging

import pytest


@pytest.mark.parametrize("size", [0, 10, 10_000_000])
@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_wrong_size_in_the_log_loses_no_rows(spark, tmp_path, caplog, size, vectorized):
    path = tmp_path / "t"
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    rows = spark.range(5000).coalesce(1).write.format("delta")
    rows.option("parquet.block.size", "1024").save(str(path))
    commit = path / "_delta_log" / f"{0:020}.json"
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    for action in actions:
        if "add" in action:
            # With statistics, count() would not look at the file.
            action["add"] = {**action["add"], "size": size, "stats": None}
    commit.write_text("\n".join(map(json.dumps, actions)))
    (path / "_delta_log" / f".{commit.name}.crc").unlink(missing_ok=True)
    for checksum in (path / "_delta_log").glob("*.crc"):
        checksum.unlink()
    copy = tmp_path / "copy"
    path.rename(copy)

    with caplog.at_level(logging.WARNING):
        found = (
            spark.read.format("delta").load(str(copy)).selectExpr("count(id)", "sum(id)").first()
        )

    assert tuple(found) == (5000, 12_497_500)
    assert f"and the log says {size}" in caplog.text
    assert "puredelta check" in caplog.text
