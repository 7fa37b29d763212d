"""Queries read the files that can hold their rows, or none where the log knows the answer."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.dml.candidate_files import candidate_files, choices
from puredelta.log.table_log import clear_cache, open_log
from puredelta.settings import ANSWERS_FROM_LOG, SKIPPING
from tests.spark.hand_made import adds_of, take_away

FILES = 12
ROWS = 100
AGGREGATES = [
    "count(*)",
    "count(id)",
    "count(maybe)",
    "count(p)",
    "min(id)",
    "max(id)",
    "min(day)",
    "max(day)",
    "max(maybe)",
    "min(p)",
    "max(p)",
    "count(*) * 2 + max(id) AS mixed",
]


@pytest.fixture(scope="module")
def root(spark, tmp_path_factory):
    """A table of 12 files in 2 partitions, in 6 commits, ids ascending."""
    path = tmp_path_factory.mktemp("scan") / "t"
    for start in range(0, FILES // 2 * ROWS, ROWS):
        frame = spark.range(start, start + ROWS, 1, 1).selectExpr(
            "id",
            "CASE WHEN id % 3 = 0 THEN id END AS maybe",
            "date_add(DATE '2020-01-01', CAST(id AS INT)) AS day",
            "CAST(id AS STRING) AS text",
            "CAST(id AS DOUBLE) AS number",
            "named_struct('x', id) AS inner",
            "CASE WHEN id % 2 = 0 THEN 10 ELSE 9 END AS p",
        )
        frame.write.format("delta").mode("append").partitionBy("p").save(str(path))
    return path


@pytest.fixture
def frame(spark, root):
    clear_cache()
    return spark.read.format("delta").load(str(root))


def files_read(frame):
    return [choice.files.num_rows for choice in choices(frame)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("id = 250", 2),
        ("id = 250 AND p = 10", 1),
        ("id BETWEEN 100 AND 199 OR id = 599", 3),
        ("NOT (id < 500)", 2),
        ("id IN (1, 550)", 4),
        ("day >= DATE '2021-08-01'", 2),
        ("text LIKE '59%'", 4),
        ("inner.x < 10", 2),
        ("number > 1e9", 0),
        ("maybe IS NULL", 12),
        ("id IS NULL", 0),
        ("id <=> 7", 2),
        ("cast(id AS DOUBLE) > 560.5", 2),
        ("p + 1 = 10", 6),
        ("length(text) > 2", 12),
    ],
)
def test_only_files_that_can_match_are_read(frame, condition, expected):
    chosen = frame.where(condition)

    assert files_read(chosen) in ([expected], [] if expected == 0 else None)
    assert chosen.count() == frame.selectExpr(f"count_if({condition})").first()[0]


def test_skipping_can_be_turned_off(spark, frame):
    spark.conf.set(SKIPPING, "false")
    try:
        assert files_read(frame.where("id = 250")) == [12]
    finally:
        spark.conf.unset(SKIPPING)


def test_settings_are_those_of_the_session_of_the_query(spark, frame, setting):
    setting(SKIPPING, "false")
    # A session that makes rows becomes the active one.
    spark.newSession().createDataFrame([(1,)], "id INT")

    assert files_read(frame.where("id = 250")) == [FILES]


def test_aggregates_of_the_log_are_those_of_a_scan(spark, frame):
    for condition in (
        "true",
        "p = 9",
        "P = 9",
        "p IN (9, 10) AND p IS NOT NULL",
        "p = 77",
        "p IS NULL",
    ):
        asked = frame.where(condition).selectExpr(*AGGREGATES)
        assert files_read(asked) == []
        spark.conf.set(ANSWERS_FROM_LOG, "false")
        try:
            scanned = frame.where(condition).selectExpr(*AGGREGATES)
            assert files_read(scanned) != [] or condition == "p = 77"
            assert asked.collect() == scanned.collect()
            assert asked.schema == scanned.schema
        finally:
            spark.conf.unset(ANSWERS_FROM_LOG)


@pytest.mark.parametrize(
    "question",
    [
        "max(text)",
        "max(number)",
        "sum(id)",
        "count(DISTINCT id)",
        "min(id) FILTER (WHERE p = 9)",
        "max(id + 1)",
    ],
)
def test_what_the_log_does_not_know_exactly_is_scanned(frame, question):
    assert files_read(frame.selectExpr(question)) == [12]


def test_groups_and_other_conditions_are_scanned(frame):
    assert files_read(frame.groupBy("p").count()) == [12]
    counts = frame.groupBy("p").agg(F.count("*").alias("n")).select("n")
    assert files_read(counts) == [12]
    assert [row.n for row in counts.collect()] == [FILES // 2 * ROWS // 2] * 2
    assert files_read(frame.where("id = 250").selectExpr("count(*)")) == [2]
    assert files_read(frame.sample(0.5, seed=1).selectExpr("count(*)")) == [12]


def test_deleted_rows_are_not_counted(spark, tmp_path):
    root = tmp_path / "t"
    spark.range(0, ROWS, 1, 1).write.format("delta").save(str(root))
    (file,) = adds_of(root)
    take_away(root, {file["path"]: {0, 7, 99}}, as_file=True)
    frame = spark.read.format("delta").load(str(root))

    counted, greatest = frame.selectExpr("count(*)"), frame.selectExpr("max(id)")

    assert files_read(counted) == []
    assert counted.first()[0] == ROWS - 3 == len(frame.collect())
    assert files_read(greatest) == [1]
    assert greatest.first()[0] == 98


def test_limit_reads_files_until_there_are_enough_rows(frame):
    for limit, files in ((1, 1), (50, 1), (51, 2), (120, 3)):
        limited = frame.limit(limit)
        assert files_read(limited) == [files]
        assert limited.count() == len(limited.collect()) == limit
    assert files_read(frame.where("p = 9").limit(60)) == [2]
    assert len(frame.where("p = 9").limit(60).collect()) == 60


def test_limit_of_filtered_rows_reads_all_that_can_match(frame):
    limited = frame.where("id % 7 = 3").limit(2)

    assert files_read(limited) == [12]
    assert limited.count() == 2


def test_versions_and_several_tables_in_one_query_do_not_mix(spark, root, frame):
    old = spark.read.format("delta").option("versionAsOf", 0).load(str(root))

    assert old.count() == ROWS
    assert frame.union(old).selectExpr("count(*)").first()[0] == ROWS * 7
    assert files_read(frame.where("id = 1").join(old.where("id = 1"), "id")) == [2, 2]


def test_candidates_are_records_of_the_version(spark, root):
    snapshot = open_log(f"file://{root}").latest()
    place = f"file:{root}"

    found = candidate_files(spark, place, snapshot, "id = 250", {})

    assert found.schema == snapshot.files.schema
    assert found.num_rows == 2
    assert candidate_files(spark, place, snapshot, "false", {}).num_rows == 0


def test_explain_says_which_files_are_read_and_why(frame, capsys):
    frame.where("id = 250 AND p = 10").explain()

    shown = capsys.readouterr().out
    assert "== Delta Files ==" in shown
    assert "reads 1 of 12 files" in shown
    assert "leaves 6 files" in shown
    assert "id = 250: skips 10 files" in shown
