"""A table with a feature that we lack is refused by name, at any of its versions."""

import json

import pytest


@pytest.mark.parametrize("options", [{}, {"versionAsOf": "0"}])
def test_unknown_reader_feature_is_refused(spark, tmp_path, options):
    path = str(tmp_path / "t")
    spark.range(2).write.format("delta").save(path)
    first = tmp_path / "t" / "_delta_log" / f"{0:020}.json"
    lines = [json.loads(line) for line in first.read_text("utf-8").splitlines()]
    for line in lines:
        if "protocol" in line:
            line["protocol"] = {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["fromTheFuture"],
                "writerFeatures": ["fromTheFuture"],
            }
    first.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    with pytest.raises(Exception, match="fromTheFuture"):
        spark.read.format("delta").options(**options).load(path).collect()
