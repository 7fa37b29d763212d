"""The examples in docstrings of the API run on a session, in their order in each module.

`tests/meta/test_doctests.py` runs the examples that need no session; those that need one are marked
to be skipped there.
"""

import doctest
import importlib

import pyarrow.compute as pc
import pytest

import puredelta
from puredelta.tables import DeltaTable

MODULES = (
    "puredelta.api.delta_table",
    "puredelta.api.inspection",
    "puredelta.api.merge_builder",
    "puredelta.api.methods.optimize_builder",
    "puredelta.api.table_builder",
    "puredelta.rows.open_table",
)


@pytest.fixture
def names(spark, tmp_path):
    """Tables and frames with the names that the examples have."""
    path = f"{tmp_path}/events"
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id INT, name STRING, day STRING, month INT, time STRING, "
        "amount INT, n INT, at INT) USING delta PARTITIONED BY (day) "
        "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
    )
    for number in range(1, 5):
        spark.sql(
            f"INSERT INTO delta.`{path}` "
            f"VALUES ({number}, 'ann', '2024-01-01', {number}, '09:00', 5, 1, 1)"
        )
    spark.sql("DROP TABLE IF EXISTS prices")
    spark.sql(
        "CREATE TABLE prices (item STRING, price INT, valid_from TIMESTAMP, valid_to TIMESTAMP, "
        "is_current BOOLEAN) USING delta"
    )
    table = DeltaTable.forPath(spark, path)
    rows = spark.read.format("delta").load(path)
    yield {
        "DeltaTable": DeltaTable,
        "pc": pc,
        "puredelta": puredelta,
        "spark": spark,
        "table": table,
        "people": table,
        "prices": DeltaTable.forName(spark, "prices"),
        "today": spark.createDataFrame([("tea", 10)], "item STRING, price INT"),
        "corrected": rows.where("month = 2"),
        "batch": rows.where("id = 1"),
        "news": rows.where("id = 2"),
        "changes": rows.where("id = 3"),
        "arrivals": spark.readStream.format("delta").load(path),
        "folder": str(tmp_path),
    }
    for name in ("prices", "events", "events_test"):
        spark.sql(f"DROP TABLE IF EXISTS {name}")


def sources_of(module_name: str, folder: str) -> list[tuple[str, str]]:
    """Return the examples of a module, those that are skipped elsewhere too, with their place."""
    module = importlib.import_module(module_name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for test in finder.find(module) if test.examples]
    found.sort(key=lambda test: test.lineno or 0)
    return [
        (
            f"{test.name}:{example.lineno}",
            example.source.replace("/tmp/", f"{folder}/").replace(
                "/data/flights", f"{folder}/events"
            ),
        )
        for test in found
        for example in test.examples
    ]


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_the_api_run(module, names):
    if module == "puredelta.rows.open_table":
        names["spark"].range(4).selectExpr("id", "id % 4 AS day").write.format("delta").mode(
            "overwrite"
        ).option("overwriteSchema", "true").partitionBy("day").save(f"{names['folder']}/events")
    sources = sources_of(module, names["folder"])

    for place, source in sources:
        mode = "exec" if "\n" in source.strip() or " = " in source.split("(")[0] else "eval"
        # An example that fails shows its place.
        eval(compile(source.strip(), place, mode), names)

    assert sources
