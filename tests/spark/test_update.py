"""UPDATE: new values, the rules they keep, and what is refused."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as f

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaAnalysisException, DeltaInvariantViolationException
from tests.spark.changed_rows import VECTORS, actions, create, last, metrics, put, rows_of, run

NESTED = "id INT, s STRUCT<a: INT, b: STRUCT<c: INT, d: STRING>>"


@pytest.fixture(params=[{}, VECTORS], ids=["files", "vectors"])
def properties(request):
    return request.param


@pytest.fixture
def table(spark, tmp_path, properties):
    """A table of two files, ids 0 to 4 and 5 to 7."""
    root = tmp_path / "t"
    create(spark, root, "id INT, v STRING", properties=properties)
    put(spark, root, *(f"({n}, 'v{n}')" for n in range(5)))
    put(spark, root, *(f"({n}, 'v{n}')" for n in range(5, 8)))
    return root


def texts(spark, root):
    return [row[1] for row in rows_of(spark, root)]


def test_rows_get_values_made_of_the_old_row(spark, table):
    statement = (
        f"UPDATE delta.`{table}` SET v = concat(v, id), id = id + 10 WHERE id >= 4 AND id < 6"
    )

    assert run(spark, statement) == 2

    assert rows_of(spark, table) == [
        *((n, f"v{n}") for n in (0, 1, 2, 3, 6, 7)),
        (14, "v44"),
        (15, "v55"),
    ]


def test_counts_of_history(spark, table, properties):
    run(spark, f"UPDATE delta.`{table}` SET v = 'x' WHERE id = 1")

    found = metrics(table, 3)
    marks = 1 if properties else 0
    assert (found["numUpdatedRows"], found["numCopiedRows"]) == (1, 4 * (1 - marks))
    assert (found["numAddedFiles"], found["numDeletionVectorsAdded"]) == (1, marks)
    assert len(actions(table, 3, "remove")) == 1


def test_without_a_condition_all_rows_change(spark, table):
    assert run(spark, f"UPDATE delta.`{table}` SET v = upper(v)") == 8

    assert texts(spark, table) == [f"V{n}" for n in range(8)]
    assert metrics(table, 3)["numCopiedRows"] == 0


def test_rows_are_updated_that_were_marked_around(spark, table):
    run(spark, f"DELETE FROM delta.`{table}` WHERE id IN (1, 6)")
    run(spark, f"UPDATE delta.`{table}` SET v = 'x' WHERE id IN (0, 1, 7)")
    run(spark, f"UPDATE delta.`{table}` SET v = concat(v, '!')")

    assert rows_of(spark, table) == [
        (0, "x!"),
        *((n, f"v{n}!") for n in (2, 3, 4, 5)),
        (7, "x!"),
    ]


def test_no_row_found_makes_no_version(spark, table):
    assert run(spark, f"UPDATE delta.`{table}` SET v = 'x' WHERE id = 99") == 0

    assert last(table) == 2


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SET v = 'in' WHERE id IN (SELECT 1)", {1: "in"}),
        (
            "AS u SET v = 'ex' WHERE EXISTS (SELECT 1 FROM range(2) r WHERE r.id = u.id)",
            {0: "ex", 1: "ex"},
        ),
        ("SET v = (SELECT max(v) FROM {t}) WHERE id = 2", {2: "v7"}),
        ("AS u SET v = (SELECT max(o.v) FROM {t} o WHERE o.id < u.id) WHERE id = 3", {3: "v2"}),
    ],
)
def test_conditions_and_values_have_subqueries(spark, table, statement, expected):
    name = f"delta.`{table}`"

    run(spark, f"UPDATE {name} {statement.format(t=name)}")

    assert texts(spark, table) == [expected.get(n, f"v{n}") for n in range(8)]


def test_rows_move_to_other_partitions(spark, tmp_path, properties):
    root = tmp_path / "t"
    create(spark, root, "id INT, p STRING", by=["p"], properties=properties)
    put(spark, root, "(1, 'x')", "(2, 'x')", "(3, 'y')")

    run(spark, f"UPDATE delta.`{root}` SET p = concat(p, 'z') WHERE id = 1")
    run(spark, f"UPDATE delta.`{root}` SET p = '' WHERE p = 'y'")

    assert rows_of(spark, root) == [(1, "xz"), (2, "x"), (3, None)]


def test_fields_of_structs_are_set_alone(spark, tmp_path, properties):
    create(spark, tmp_path / "t", NESTED, properties=properties)
    root = tmp_path / "t"
    put(spark, root, "(1, named_struct('a', 1, 'b', named_struct('c', 1, 'd', 'x')))", "(2, NULL)")

    run(spark, f"UPDATE delta.`{root}` SET s.b.d = 'deep', s.a = s.a + 1 WHERE id = 1")
    run(spark, f"UPDATE delta.`{root}` AS u SET u.s.b.c = 9")

    assert rows_of(spark, root) == [(1, (2, (9, "deep"))), (2, (None, (9, None)))]


def test_defaults_generated_columns_and_constraints(spark, tmp_path, properties):
    root = tmp_path / "t"
    features = {**properties, "delta.feature.allowColumnDefaults": "supported"}
    columns = "id INT NOT NULL, v STRING DEFAULT 'dflt', g INT GENERATED ALWAYS AS (id * 2)"
    create(spark, root, columns, properties=features)
    spark.sql(f"INSERT INTO delta.`{root}` (id, v) VALUES (1, 'a'), (2, 'b')")
    spark.sql(f"ALTER TABLE delta.`{root}` ADD CONSTRAINT small CHECK (id < 100)")

    run(spark, f"UPDATE delta.`{root}` SET v = DEFAULT, id = 5, g = DEFAULT WHERE id = 1")
    spark.sql(f"UPDATE delta.`{root}` SET g = DEFAULT")
    for assignment in ("id = 100", "id = NULL", "g = 7"):
        with pytest.raises(DeltaInvariantViolationException):
            spark.sql(f"UPDATE delta.`{root}` SET {assignment} WHERE id = 2")

    assert rows_of(spark, root) == [(2, "b", 4), (5, "dflt", 10)]


@pytest.mark.parametrize("make", [str, f.expr, f.col])
def test_default_is_a_value_in_python_too(spark, tmp_path, make):
    root = tmp_path / "t"
    features = {"delta.feature.allowColumnDefaults": "supported"}
    columns = "id INT, v STRING DEFAULT 'dflt', g INT GENERATED ALWAYS AS (id * 2), w STRING"
    create(spark, root, columns, properties=features)
    spark.sql(f"INSERT INTO delta.`{root}` (id, v) VALUES (1, 'a'), (2, 'b')")
    table = DeltaTable.forPath(spark, str(root))
    default, word = make("default"), f.lit("DEFAULT")

    table.update("id = 1", {"v": default, "g": default, "id": "5", "w": word})
    source = spark.range(2, 3).withColumn("id", f.col("id").cast("int"))
    merged = table.alias("t").merge(source.alias("s"), "t.id = s.id")
    merged.whenMatchedUpdate(set={"v": default, "g": default, "w": word}).execute()

    assert rows_of(spark, root) == [(2, "dflt", 4, "DEFAULT"), (5, "dflt", 10, "DEFAULT")]


def test_identity_column_is_not_set(spark, tmp_path):
    root = tmp_path / "t"
    create(spark, root, "id BIGINT GENERATED BY DEFAULT AS IDENTITY, v STRING")
    spark.sql(f"INSERT INTO delta.`{root}` (v) VALUES ('a')")

    run(spark, f"UPDATE delta.`{root}` SET v = 'b'")
    with pytest.raises(DeltaAnalysisException) as caught:
        spark.sql(f"UPDATE delta.`{root}` SET id = 7")

    assert caught.value.getCondition() == "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED"
    assert rows_of(spark, root) == [(1, "b")]


@pytest.mark.parametrize(
    ("assignment", "condition"),
    [
        ("v = 'x', V = 'y'", "DELTA_CONFLICT_SET_COLUMN"),
        ("nope = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("v = nope", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("v = max(v)", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("v = rand()", "INVALID_NON_DETERMINISTIC_EXPRESSIONS"),
    ],
)
def test_what_cannot_be_assigned_is_refused_where_no_row_is_found(
    spark, table, assignment, condition
):
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"UPDATE delta.`{table}` SET {assignment} WHERE id = 99")

    assert caught.value.getCondition() == condition


def test_view_of_the_table_is_updated(spark, table):
    spark.read.format("delta").load(str(table)).createOrReplaceTempView("seen")
    try:
        assert run(spark, "UPDATE seen SET v = 'w' WHERE id = 2") == 1
    finally:
        spark.catalog.dropTempView("seen")

    assert texts(spark, table)[2] == "w"


def test_python_updates_by_text_and_by_column(spark, table):
    delta = DeltaTable.forPath(spark, str(table))

    delta.update("id = 1", {"v": "upper(v)"})
    delta.update(f.col("id") == 2, {"v": f.lit("two")})
    delta.alias("a").update(condition="a.id = 3", set={"a.v": "a.id"})
    delta.update(set={"id": "id + 1"})

    assert rows_of(spark, table)[:5] == [(1, "v0"), (2, "V1"), (3, "two"), (4, "3"), (5, "v4")]


@pytest.fixture
def system_in_oslo(spark):
    """A system with a time zone of its own, and a session that names none."""
    zones = spark._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone("Europe/Oslo"))
    spark.conf.unset("spark.sql.session.timeZone")
    yield
    zones.setDefault(before)


@pytest.mark.usefixtures("system_in_oslo")
def test_days_begin_in_the_zone_of_the_system_where_the_session_names_none(spark, tmp_path):
    create(spark, tmp_path / "t", "id INT, at TIMESTAMP")
    put(spark, tmp_path / "t", "(1, NULL)")

    run(spark, f"UPDATE delta.`{tmp_path / 't'}` SET at = DATE'2024-07-01'")

    rows = spark.sql(f"SELECT unix_seconds(at) FROM delta.`{tmp_path / 't'}`").collect()
    assert [tuple(row) for row in rows] == [(1719784800,)]


@pytest.mark.parametrize("follows_ansi", ["true", "false"])
@pytest.mark.parametrize("ansi", ["true", None])
def test_text_that_is_no_number_is_refused_whichever_casts_count(spark, table, ansi, follows_ansi):
    if ansi is not None:
        spark.conf.set("spark.sql.ansi.enabled", ansi)
    key = "spark.databricks.delta.updateAndMergeCastingFollowsAnsiEnabledFlag"
    spark.conf.set(key, follows_ansi)

    with pytest.raises(Exception, match="CAST_INVALID_INPUT"):
        spark.sql(f"UPDATE delta.`{table}` SET id = v WHERE id = 1")

    assert rows_of(spark, table)[1] == (1, "v1")
