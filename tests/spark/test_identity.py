"""Identity columns in the writes of one session: numbers, marks, races, refusals."""

import logging
from functools import partial

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.commands.rows.identity_ranges import (
    IdentityRange,
    IdentityRangeLostError,
    reserve,
    run_with_identity,
)
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write import write as write_module
from puredelta.engine.exceptions import (
    ConcurrentAppendException,
    DeltaAnalysisException,
    DeltaArithmeticException,
    MetadataChangedException,
)
from puredelta.engine.row_checks.identity_values import bounds_in_files
from puredelta.engine.session.context import context_of
from puredelta.table.expressions.identity_columns import identity_columns
from puredelta.tables import IdentityGenerator

LOGGER = "puredelta.commands.rows.identity_ranges"


def make(spark, path, *more, start=1, step=1, default=False, by=(), **properties):
    generator = IdentityGenerator(start=start, step=step)
    kind = "generatedByDefaultAs" if default else "generatedAlwaysAs"
    made = DeltaTable.create(spark).location(path)
    made = made.addColumn("id", "BIGINT", **{kind: generator}).addColumn("v", "BIGINT")
    for column in more:
        made = made.addColumn(*column.split(" ", 1))
    for key, value in properties.items():
        made = made.property(key, value)
    (made.partitionedBy(*by) if by else made).execute()


def numbers(rows):
    return rows.select(F.col("id").cast("bigint").alias("v"))


def append(frame, path, **options):
    frame.write.format("delta").mode("append").options(**options).save(path)


def ids(spark, path):
    return [row.id for row in spark.read.format("delta").load(path).select("id").collect()]


def latest(path):
    return TableRef(root="file:" + path).log().latest()


def mark(path):
    [column] = identity_columns(latest(path).schema)
    return column.mark


def history(spark, path):
    rows = spark.sql(f"DESCRIBE HISTORY delta.`{path}`").orderBy("version").collect()
    return [row.operation for row in rows]


def check(spark, path, count, start=1, step=1):
    """So many rows, no two with one number, all of them numbers of the column, the mark last."""
    found = ids(spark, path)
    assert len(found) == len(set(found)) == count
    assert all((one - start) % step == 0 and (one - start) // step >= 0 for one in found)
    assert mark(path) == (max(found) if step > 0 else min(found))


def shapes(spark):
    """Queries of 60 rows that end in stages of all kinds."""
    base = spark.range(0, 60, 1, 7)
    half = spark.range(0, 30, 1, 3)
    listed = ",".join(f"({number})" for number in range(60))
    return {
        "range": base,
        "one task": base.coalesce(1),
        "fewer tasks": base.coalesce(3),
        "union": half.union(half),
        "union of numbered": half.union(spark.range(30).coalesce(1)),
        "shuffled": base.repartition(5),
        "sorted": base.orderBy(F.desc("id")),
        "aggregated": base.groupBy("id").count().select("id"),
        "limited": spark.range(0, 500, 1, 7).limit(60),
        "joined": base.join(base.hint("merge"), "id"),
        "broadcast": base.join(F.broadcast(base), "id"),
        "crossed": spark.range(0, 10, 1, 2).crossJoin(spark.range(6).toDF("x")).select("id"),
        "on the driver": spark.sql(f"SELECT * FROM VALUES {listed} AS t(id)"),
        "from Python": spark.createDataFrame([(number,) for number in range(60)], "id long"),
        "cached": base.repartition(4).cache(),
        "exploded": spark.range(6).select(F.explode(F.sequence(F.lit(1), F.lit(10))).alias("id")),
    }


def test_no_two_rows_get_one_number_whatever_the_query(spark, path):
    make(spark, path, start=5, step=3)
    count = 0

    for frame in shapes(spark).values():
        append(numbers(frame), path)
        count += 60

    check(spark, path, count, start=5, step=3)
    spark.catalog.clearCache()


def test_many_rows_on_the_driver_and_as_a_job(spark, path):
    make(spark, path, step=-2)
    rows = ",".join(f"({number})" for number in range(10_500))

    append(spark.sql(f"SELECT bigint(v) AS v FROM VALUES {rows} AS t(v)"), path)
    append(spark.sql("SELECT 1L AS v"), path)

    check(spark, path, 10_501, step=-2)


def test_partitions_shuffles_and_names_of_files_change_nothing(spark, path):
    mapped = {"delta.columnMapping.mode": "name", "delta.dataSkippingNumIndexedCols": "0"}
    make(spark, path, "p INT", by=("p",), **mapped)
    rows = spark.range(0, 900, 1, 5).selectExpr("id AS v", "int(id % 3) AS p")

    append(rows, path)
    append(rows, path, optimizeWrite="true")
    rows.write.format("delta").mode("append").partitionBy("p").save(path)

    check(spark, path, 2700)
    assert '"minValues":{}' in latest(path).files["stats"][0].as_py()


def test_checks_and_generated_columns_see_the_number_that_is_stored(spark, path):
    generator = IdentityGenerator(start=1, step=2)
    made = DeltaTable.create(spark).location(path).addColumn("v", "BIGINT")
    made = made.addColumn("id", "BIGINT", nullable=False, generatedAlwaysAs=generator)
    made.addColumn("g", "BIGINT", generatedAlwaysAs="id * 10").execute()
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT odd CHECK (id % 2 = 1 AND id < 2000)")

    append(spark.range(0, 500, 1, 4).selectExpr("id AS v"), path)

    assert spark.read.format("delta").load(path).where("g <=> id * 10").count() == 500
    check(spark, path, 500, step=2)


def test_refused_rows_use_up_no_number(spark, path):
    make(spark, path)
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT c CHECK (v < 5)")

    with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"):
        append(spark.range(10).toDF("v"), path)

    assert mark(path) is None


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_given_values_are_refused_before_anything_is_written(spark, path, tmp_path, mode):
    make(spark, path)
    frame = spark.sql("SELECT 7L AS id, 1L AS v")

    with pytest.raises(DeltaAnalysisException) as refused:
        frame.write.format("delta").mode(mode).save(path)

    assert refused.value.condition == "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"
    assert not list((tmp_path / "t").glob("*.parquet"))


def test_no_row_is_written_when_numbers_run_out_in_a_task(spark, path):
    make(spark, path, start=2**63 - 10)

    with pytest.raises(DeltaArithmeticException) as refused:
        append(spark.range(0, 100, 1, 4).toDF("v"), path)

    assert refused.value.condition == "PUREDELTA_IDENTITY_OVERFLOW"
    assert mark(path) is None
    append(spark.range(0, 8, 1, 2).toDF("v"), path)
    check(spark, path, 8, start=2**63 - 10)


def test_numbers_are_read_from_files_whose_footers_do_not_tell(spark, tmp_path):
    folder = str(tmp_path / "files")
    spark.range(4, 9).selectExpr("id AS `a b`", "'x' AS s").write.parquet(folder)
    files = [f"file:{one}" for one in (tmp_path / "files").glob("*.parquet")]

    assert bounds_in_files(spark, files, "a b", {}) == (4, 8)


def test_files_do_not_carry_the_definition_along(spark, path, tmp_path):
    make(spark, path)
    append(spark.range(3).toDF("v"), path)

    files = spark.read.parquet(*map(str, (tmp_path / "t").glob("*.parquet")))
    files.write.format("delta").save(str(tmp_path / "copy"))

    assert identity_columns(latest(str(tmp_path / "copy")).schema) == ()
    assert "identityColumns" not in str(latest(str(tmp_path / "copy")).protocol)


# --- others who write at the same time


@pytest.fixture
def between(monkeypatch):
    """Let others commit once the rows of a write lie in files, before it commits itself."""

    def meanwhile(*actions):
        left = list(actions)
        real = write_module.write_rows

        def write_rows(target, rows, **how):
            written = real(target, rows, **how)
            if left:
                left.pop(0)()
            return written

        monkeypatch.setattr(write_module, "write_rows", write_rows)

    return meanwhile


def test_who_loses_its_numbers_reserves_others(spark, path, tmp_path, between, caplog):
    make(spark, path)
    between(lambda: append(spark.range(5).toDF("v"), path))

    with caplog.at_level(logging.INFO, LOGGER):
        append(spark.range(10, 30, 1, 4).toDF("v"), path)

    check(spark, path, 25)
    assert history(spark, path) == ["CREATE TABLE", "WRITE", "RESERVE IDENTITY", "WRITE"]
    assert "reserved in version 2" in caplog.text
    named = {one.as_py() for one in latest(path).files["path"]}
    assert named == {one.name for one in (tmp_path / "t").glob("*.parquet")}


def test_reserved_numbers_are_given_whoever_comes_first(spark, path, between):
    make(spark, path)
    other = spark.range(5).toDF("v")
    between(lambda: append(other, path), lambda: None, lambda: append(other, path))

    append(spark.range(10, 30, 1, 4).toDF("v"), path)

    assert len(set(ids(spark, path))) == len(ids(spark, path)) == 30


def test_overwrite_that_loses_its_numbers_replaces_what_is_there_then(spark, path, between):
    make(spark, path)
    append(spark.range(3).toDF("v"), path)
    between(lambda: append(spark.range(5).toDF("v"), path))

    spark.range(10, 12).toDF("v").write.format("delta").mode("overwrite").save(path)

    rows = spark.read.format("delta").load(path).collect()
    assert sorted(row.v for row in rows) == [10, 11]
    assert min(row.id for row in rows) > 8


def test_rows_that_bring_their_numbers_pass_and_are_passed(spark, path, between):
    make(spark, path, default=True)
    given = spark.sql("SELECT 1000L AS id, 0L AS v")
    between(lambda: append(given, path))
    append(spark.range(2).toDF("v"), path)
    between(lambda: append(spark.range(2).toDF("v"), path))
    append(given, path)

    assert sorted(ids(spark, path)) == [1, 2, 3, 4, 1000, 1000]
    assert "RESERVE IDENTITY" not in history(spark, path)


def test_other_metadata_still_stops_a_write(spark, path, between):
    make(spark, path)
    between(lambda: spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('mine' = '1')"))

    with pytest.raises(MetadataChangedException):
        append(spark.range(2).toDF("v"), path)

    assert mark(path) is None


def test_alter_does_not_take_back_numbers_that_were_given_meanwhile(spark, path):
    make(spark, path)
    before = latest(path)
    append(spark.range(2).toDF("v"), path)

    transaction = write_module.begin(context_of(spark), TableRef(root="file:" + path), before)
    renamed = before.metadata
    with pytest.raises(Exception, match="DELTA_METADATA_CHANGED"):
        transaction.commit([], write_module.Operation("SET TBLPROPERTIES"), metadata=renamed)


def test_ranges_that_are_too_small_are_reserved_anew(spark, path):
    make(spark, path)
    table, context = TableRef(root="file:" + path), context_of(spark)
    before, ranges = reserve(
        context, table, latest(path).metadata, IdentityRangeLostError({"id": 3})
    )
    write = write_module.Write(
        table=table, frame=spark.range(0, 20, 1, 2).toDF("v"), mode=write_module.APPEND
    )

    assert ranges == {"id": IdentityRange(None, 3)}
    attempt = partial(write._attempt, context, None)
    run_with_identity(context, table, before, attempt, ranges=ranges)

    found = ids(spark, path)
    assert len(found) == len(set(found)) == 20
    assert min(found) > 3
    assert mark(path) >= max(found)


def test_write_that_fills_nothing_gives_nothing_out(spark, path):
    make(spark, path, default=True)

    append(spark.sql("SELECT 1L AS id, 0L AS v"), path)

    assert mark(path) is None


# --- SYNC IDENTITY


def sync(spark, path):
    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN id SYNC IDENTITY")


def test_sync_conflicts_with_rows_that_come_meanwhile(spark, path, monkeypatch):
    from puredelta.commands.alter import sync_identity as module

    make(spark, path, default=True)
    real = module.frame_of_files

    def frame_of_files(*given):
        append(spark.sql("SELECT 50L AS id, 0L AS v"), path)
        return real(*given)

    monkeypatch.setattr(module, "frame_of_files", frame_of_files)
    with pytest.raises(ConcurrentAppendException):
        sync(spark, path)


def test_write_goes_on_behind_a_sync_that_came_first(spark, path, between):
    make(spark, path, default=True)
    append(spark.sql("SELECT 50L AS id, 0L AS v"), path)
    between(lambda: sync(spark, path))

    append(spark.range(2).toDF("v"), path)

    assert sorted(ids(spark, path)) == [50, 51, 52]


def test_wider_numbers_that_are_given_do_not_widen_the_column(spark, path):
    make(spark, path, default=True, **{"delta.enableTypeWidening": "true"})
    spark.conf.set("spark.databricks.delta.typeWidening.allowAutomaticWidening", "always")
    try:
        frame = spark.sql("SELECT CAST(7 AS DECIMAL(20, 0)) AS id, 1L AS v")
        frame.createOrReplaceTempView("wider")
        spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO delta.`{path}` SELECT * FROM wider")
    finally:
        spark.conf.unset("spark.databricks.delta.typeWidening.allowAutomaticWidening")

    assert dict(spark.read.format("delta").load(path).dtypes)["id"] == "bigint"
    assert ids(spark, path) == [7]


def test_sync_of_a_column_that_counts_down_goes_to_its_least_value(spark, path):
    make(spark, path, start=-10, step=-5, default=True)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (-22, 1), (7, 2)")

    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN id SYNC IDENTITY")
    append(numbers(spark.range(1)).select("v"), path)

    [new] = set(ids(spark, path)) - {-22, 7}
    assert new < -22
