"""What the Python API takes: paths, frames of other libraries, and errors in familiar words."""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from puredelta import DeltaTable, exceptions


@pytest.fixture
def table(spark, tmp_path):
    """A table of the rows (1, a) and (2, b)."""
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, v STRING) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'a'), (2, 'b')")
    return DeltaTable.forPath(spark, path)


def rows_of(table):
    return sorted(tuple(row) for row in table.toDF().collect())


def test_paths_are_text_or_path(spark, tmp_path):
    made = DeltaTable.create(spark).location(tmp_path / "made").addColumn("id", "INT").execute()
    spark.range(2).write.parquet(str(tmp_path / "files"))
    files = f"parquet.`{tmp_path}/files`"

    for kind in (str, Path):
        path = kind(tmp_path / "made")
        assert DeltaTable.isDeltaTable(spark, path)
        assert DeltaTable.forPath(spark, path).toDF().columns == made.toDF().columns
        beside = kind(tmp_path / kind.__name__)
        assert DeltaTable.convertToDelta(spark, files, deltaPath=beside).toDF().count() == 2
    with pytest.raises(exceptions.DeltaIllegalArgumentException, match="as text"):
        DeltaTable.forPath(spark, Path("s3://bucket/table"))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"id": [2, 3], "v": [None, "c"]}, index=[7, 8]),
        pd.DataFrame({"id": pd.array([2, 3], dtype="UInt8"), "v": pd.Categorical([None, "c"])}),
        pl.DataFrame({"id": [2, 3], "v": [None, "c"]}),
        pl.LazyFrame({"id": [2, 3], "v": [None, "c"]}),
        pa.table({"id": pa.array([2, 3], pa.uint32()), "v": pa.array([None, "c"])}),
        pa.record_batch({"id": pa.array([2, 3]), "v": pa.array([None, "c"], pa.string_view())}),
    ],
    ids=["pandas", "pandas extension types", "polars", "lazy polars", "arrow", "batch"],
)
def test_frames_of_other_libraries_are_rows(table, frame):
    assert table.append_new(frame, "id").rows == 1
    assert rows_of(table)[2] == (3, "c")

    done = table.upsert(frame, "id")
    assert (done.inserted, done.updated) == (0, 2)

    merge = table.alias("t").merge(frame, "t.id = source.id AND source.v IS NOT NULL")
    assert merge.whenMatchedDelete().execute().first()["num_deleted_rows"] == 1
    assert table.replace_where(frame, "id > 1").changed
    assert sorted((row.id, row.v or "") for row in table.toDF().collect()) == [
        (1, "a"),
        (2, ""),
        (3, "c"),
    ]


def test_a_reader_of_arrow_is_read_once(table):
    rows = pa.table({"id": [2, 3], "v": ["x", "c"]})

    assert table.append_new(rows.to_reader(), "id").rows == 1
    assert table.upsert(rows.to_reader(), "id").updated == 2
    merge = table.alias("t").merge(rows.to_reader(), "t.id = source.id")
    assert merge.whenMatchedDelete().execute().first()["num_deleted_rows"] == 2


def test_a_column_of_several_types_is_named(table):
    with pytest.raises(exceptions.DeltaIllegalArgumentException, match="column v") as caught:
        table.upsert(pd.DataFrame({"id": [1, 2], "v": [1, "x"]}), "id")
    assert caught.value.getCondition() == "PUREDELTA_ROWS_NOT_ARROW"


def test_changes_of_rows_say_how_many(table):
    assert [row.asDict() for row in table.update("id = 1", {"v": "'x'"}).collect()] == [
        {"num_affected_rows": 1}
    ]
    assert table.delete("id > 7").first()[0] == 0
    assert table.delete().first()[0] == 2


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda t: t.merge(None, "a"), ValueError, "'source' in merge cannot be None"),
        (lambda t: t.merge("x", "a"), TypeError, "Type of 'source' in merge must be DataFrame"),
        (lambda t: t.merge(t.toDF(), None), ValueError, "'condition' in merge cannot be None"),
        (lambda t: t.update("id = 1"), ValueError, "'set' cannot be None"),
        (
            lambda t: t.update(set=[1]),
            TypeError,
            "'set' must be a dict, found to be <class 'list'>",
        ),
        (
            lambda t: t.update(set={1: "1"}),
            TypeError,
            "Keys of dict in 'set' must contain only strings with column names, found '1' of type",
        ),
        (
            lambda t: t.update(set={"v": 1}),
            TypeError,
            (
                "Values of dict in 'set' must contain only Spark SQL Columns or strings"
                " (expressions in SQL syntax) as values, found '1' of type '<class 'int'>'"
            ),
        ),
        (
            lambda t: t.delete(1),
            TypeError,
            (
                "'condition' must be a Spark SQL Column or a string (expression in SQL syntax),"
                " found to be of type <class 'int'>"
            ),
        ),
        (lambda t: t.addFeatureSupport(1), ValueError, "featureName needs to be a string but got"),
        (
            lambda t: t.upgradeTableProtocol("1", 2),
            ValueError,
            "The readerVersion needs to be an integer but got '<class 'str'>'.",
        ),
        (
            lambda t: t.dropFeatureSupport("x", 1),
            ValueError,
            "truncateHistory needs to be a boolean but got",
        ),
        (lambda t: t.history("3"), TypeError, "limit needs to be an int but got"),
        (lambda t: t.alias(3), TypeError, "aliasName needs to be a string but got"),
    ],
)
def test_wrong_arguments_are_told_in_the_words_of_delta_spark(table, call, error, said):
    with pytest.raises(error) as caught:
        call(table)

    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda b: b.tableName(1), "Identifier must be str."),
        (lambda b: b.location(1), "Location must be str."),
        (lambda b: b.comment(1), "Table comment must be str."),
        (lambda b: b.addColumn(1, "INT"), "Column name must be str."),
        (lambda b: b.addColumn("a", 1), "Column data type must be str or DataType."),
        (lambda b: b.addColumn("a", "INT", 1), "Column nullable must be bool."),
        (lambda b: b.addColumn("a", "INT", comment=1), "Column comment must be str."),
        (lambda b: b.addColumns(1), "Schema must be StructType or a list of StructField."),
        (lambda b: b.addColumns([1]), "Column in existing schema must be StructField."),
        (lambda b: b.partitionedBy(1), "Partitioning column must be str."),
        (lambda b: b.clusterBy(1), "Clustering column must be str."),
        (lambda b: b.property("a", 1), "Key and value of property must be string."),
    ],
)
def test_builder_tells_wrong_arguments_in_the_words_of_delta_spark(spark, call, said):
    with pytest.raises(TypeError) as caught:
        call(DeltaTable.create(spark))

    assert str(caught.value) == f"{said} Found 1 with type <class 'int'>"


def test_conflicts_are_caught_by_the_names_of_delta_spark():
    base = exceptions.DeltaConcurrentModificationException
    kinds = ["ConcurrentWrite", "MetadataChanged", "ProtocolChanged", "ConcurrentAppend"]
    kinds += ["ConcurrentDeleteRead", "ConcurrentDeleteDelete", "ConcurrentTransaction"]

    assert all(issubclass(getattr(exceptions, f"{kind}Exception"), base) for kind in kinds)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {t} (id INT, _tmp_metadata_row_index INT) USING delta",
        "CREATE TABLE {t} USING delta AS SELECT 1 AS _TMP_METADATA_ROW_INDEX",
    ],
)
def test_column_that_could_not_be_read_is_not_made(spark, table_name, statement):
    with pytest.raises(exceptions.DeltaAnalysisException) as caught:
        spark.sql(statement.format(t=table_name))

    assert caught.value.getCondition() == "PUREDELTA_RESERVED_COLUMN_NAME"
    assert not spark.catalog.tableExists(table_name)


def test_column_that_could_not_be_read_is_not_added(spark, table):
    name = "_tmp_metadata_row_index"
    path = table.detail().first()["location"]
    mapped = f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    spark.sql(mapped)
    frame = spark.range(1).selectExpr("1 AS id", f"5 AS {name}")
    attempts = [
        lambda: spark.sql(f"ALTER TABLE delta.`{path}` ADD COLUMNS ({name} INT)"),
        lambda: spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN v TO {name}"),
        lambda: frame.write.format("delta").mode("append").option("mergeSchema", "true").save(path),
        lambda: table.upsert(frame, "id", evolve=True),
    ]

    for attempt in attempts:
        with pytest.raises(exceptions.DeltaAnalysisException) as caught:
            attempt()
        assert caught.value.getCondition() == "PUREDELTA_RESERVED_COLUMN_NAME"
    assert rows_of(table) == [(1, "a"), (2, "b")]
