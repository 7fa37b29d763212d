"""Subqueries in a MERGE: in ON, in the conditions of clauses, and in values."""

import json

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.commands.merge.rewrite import MergeExecutor
from puredelta.engine.exceptions import ConcurrentAppendException
from puredelta.txn.transaction import Transaction

V = {1: 10, 2: 20, 3: 30, 4: 40, 5: 50, 6: 60}
S = {1: 100, 2: 200, 3: 300, 7: 700, 8: 800}


LAYOUTS = (
    "",
    "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
    "PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
)


@pytest.fixture
def table(spark, table_name, request):
    layout = getattr(request, "param", LAYOUTS[0])
    spark.sql(f"CREATE TABLE {table_name} (id INT, v INT, p INT) USING delta {layout}")
    listed = ", ".join(f"({k}, {v}, {k % 2})" for k, v in V.items())
    spark.sql(f"INSERT INTO {table_name} SELECT /*+ REPARTITION(2) */ * FROM VALUES {listed}")
    sourced = ", ".join(f"({k}, {v}, {k % 2})" for k, v in S.items())
    spark.sql(f"CREATE OR REPLACE TEMP VIEW s AS SELECT * FROM VALUES {sourced} AS s(id, v, p)")
    spark.sql("CREATE OR REPLACE TEMP VIEW vip AS SELECT * FROM VALUES 1, 3, 7 AS v(id)")
    return table_name


def rows(spark, table):
    return sorted(tuple(row) for row in spark.sql(f"SELECT id, v FROM {table}").collect())


def updated(*keys):
    return sorted({**V, **{key: S[key] for key in keys}}.items())


UPDATE, INSERT = "THEN UPDATE SET v = s.v", "THEN INSERT *"
BOTH = f"WHEN MATCHED {UPDATE} WHEN NOT MATCHED {INSERT}"


STATEMENTS = [
    (
        "WHEN MATCHED AND t.id IN (SELECT id FROM vip) UPDATES WHEN NOT MATCHED INSERTS",
        updated(1, 3, 7, 8),
    ),
    (
        "WHEN MATCHED AND EXISTS (SELECT 1 FROM vip WHERE vip.id = t.id) UPDATES",
        updated(1, 3),
    ),
    (
        "WHEN MATCHED AND NOT EXISTS (SELECT 1 FROM vip WHERE vip.id = s.id) UPDATES",
        updated(2),
    ),
    (
        "WHEN MATCHED AND t.id > (SELECT min(id) FROM vip) THEN DELETE",
        [(1, 10), (4, 40), (5, 50), (6, 60)],
    ),
    (
        """WHEN MATCHED
        AND t.v < (SELECT max(id) * 11 FROM vip WHERE vip.id = s.id AND vip.id = t.id) UPDATES""",
        updated(1, 3),
    ),
    (
        """WHEN MATCHED AND t.id IN (SELECT id FROM vip) THEN DELETE
        WHEN MATCHED AND t.id NOT IN (SELECT id + 2 FROM vip) UPDATES""",
        sorted({2: 200, 4: 40, 5: 50, 6: 60}.items()),
    ),
    (
        "WHEN NOT MATCHED AND s.id IN (SELECT id FROM vip) INSERTS",
        updated(7),
    ),
    (
        "WHEN NOT MATCHED AND NOT EXISTS (SELECT 1 FROM vip WHERE vip.id = s.id) INSERTS",
        updated(8),
    ),
    (
        "WHEN NOT MATCHED BY SOURCE AND t.id - 2 IN (SELECT id FROM vip) THEN DELETE",
        sorted((k, v) for k, v in V.items() if k != 5),
    ),
    (
        """WHEN NOT MATCHED BY SOURCE
        AND EXISTS (SELECT 1 FROM vip WHERE vip.id + 3 = t.id) THEN UPDATE SET v = 0""",
        sorted({**V, 4: 0, 6: 0}.items()),
    ),
    (
        "AND s.id IN (SELECT id FROM vip) WHEN MATCHED UPDATES",
        updated(1, 3),
    ),
    (
        "AND t.id IN (SELECT id FROM vip) BOTH",
        sorted([*updated(1, 3, 7, 8), (2, 200)]),
    ),
    (
        "AND EXISTS (SELECT 1 FROM vip WHERE vip.id = t.id) BOTH",
        sorted([*updated(1, 3, 7, 8), (2, 200)]),
    ),
    (
        "AND t.id > (SELECT min(id) FROM vip) BOTH",
        sorted([*updated(2, 3, 7, 8), (1, 100)]),
    ),
    (
        "AND t.id = (SELECT max(id) FROM vip WHERE id < 5) WHEN MATCHED UPDATES",
        updated(3),
    ),
    (
        "WHEN MATCHED THEN UPDATE SET v = (SELECT count(*) FROM vip WHERE vip.id <= t.id)",
        sorted({**V, 1: 1, 2: 1, 3: 2}.items()),
    ),
    (
        """WHEN NOT MATCHED THEN INSERT (id, v)
        VALUES (s.id, (SELECT count(*) FROM vip WHERE vip.id <= s.id))""",
        sorted({**V, 7: 3, 8: 3}.items()),
    ),
    (
        "WHEN MATCHED AND t.id IN (SELECT id FROM TABLE WHERE v > 10) UPDATES",
        updated(2, 3),
    ),
    (
        "WHEN MATCHED AND NOT EXISTS (SELECT 1 FROM TABLE o WHERE o.id = t.id + 4) UPDATES",
        updated(3),
    ),
    (
        "WHEN NOT MATCHED AND s.id = (SELECT max(id) + 1 FROM TABLE) INSERTS",
        updated(7),
    ),
]


@pytest.mark.parametrize(
    ("table", "statement", "expected"),
    [
        (LAYOUTS[at % len(LAYOUTS)], statement, expected)
        for at, (statement, expected) in enumerate(STATEMENTS)
    ],
    indirect=["table"],
)
def test_subqueries_stand_wherever_an_expression_does(spark, table, statement, expected):
    for word, text in {"BOTH": BOTH, "UPDATES": UPDATE, "INSERTS": INSERT, "TABLE": table}.items():
        statement = statement.replace(word, text)

    [answer] = spark.sql(f"MERGE INTO {table} t USING s ON t.id = s.id {statement}").collect()

    assert rows(spark, table) == expected
    before = set(V.items())
    assert answer.num_inserted_rows - answer.num_deleted_rows == len(expected) - len(V)
    assert answer.num_affected_rows == max(
        len(before - set(expected)), len(expected) - len(before & set(expected))
    )


def test_view_of_the_table_may_be_the_target(spark, table):
    spark.sql(f"CREATE OR REPLACE TEMP VIEW whole AS SELECT * FROM {table}")

    spark.sql(
        f"""MERGE INTO whole USING s ON whole.id = s.id
        WHEN MATCHED AND EXISTS (SELECT 1 FROM vip WHERE vip.id = whole.id) {UPDATE}"""
    )

    assert rows(spark, table) == updated(1, 3)


def test_table_without_an_alias_and_with_the_names_of_the_source(spark, table):
    spark.sql(
        f"""MERGE INTO {table} USING s ON {table}.id = s.id
        WHEN MATCHED AND EXISTS (SELECT 1 FROM vip WHERE vip.id = {table}.id) THEN UPDATE SET *"""
    )

    assert rows(spark, table) == updated(1, 3)


def test_table_grows_in_the_same_statement(spark, table):
    spark.sql("CREATE OR REPLACE TEMP VIEW wide AS SELECT id, v, p, 'new' AS n FROM s")

    spark.sql(
        f"""MERGE WITH SCHEMA EVOLUTION INTO {table} t USING wide s ON t.id = s.id
        WHEN MATCHED AND EXISTS (SELECT 1 FROM vip WHERE vip.id = t.id) THEN UPDATE SET *"""
    )

    assert rows(spark, table) == updated(1, 3)
    assert spark.sql(f"SELECT id FROM {table} WHERE n = 'new' ORDER BY id").collect() == [
        (1,),
        (3,),
    ]


def test_builder_takes_them_as_text(spark, table):
    merge = (
        DeltaTable.forName(spark, table)
        .alias("t")
        .merge(spark.table("s").alias("s"), "t.id = s.id")
        .whenMatchedUpdate("EXISTS (SELECT 1 FROM vip WHERE vip.id = t.id)", {"v": "s.v"})
        .whenNotMatchedInsertAll("s.id IN (SELECT id FROM vip)")
    )

    assert merge.execute(dryRun=True).rows_inserted == 1
    merge.execute()

    assert rows(spark, table) == updated(1, 3, 7)


def test_builder_takes_them_as_columns(spark, table):
    vip = spark.table("vip")
    is_vip = vip.where(F.col("vip.id") == F.col("t.id").outer()).exists()

    (
        DeltaTable.forName(spark, table)
        .alias("t")
        .merge(spark.table("s").alias("s"), "t.id = s.id")
        .whenMatchedUpdate(is_vip, {"v": "s.v"})
        .whenNotMatchedInsertAll(F.col("s.id") == vip.agg(F.max("id")).scalar())
        .execute()
    )

    assert rows(spark, table) == updated(1, 3, 7)


def test_history_tells_them_as_they_were_written(spark, table):
    spark.sql(
        f"""MERGE INTO {table} t USING s ON t.id = s.id
        WHEN MATCHED AND t.id IN (SELECT id FROM vip) {UPDATE}"""
    )

    told = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0].operationParameters
    [clause] = json.loads(told["matchedPredicates"])
    assert clause["predicate"] == "t.id IN (SELECT id FROM vip)"


def test_whole_table_counts_where_a_subquery_reads_it(spark, table):
    commit, others = Transaction.commit, []

    def after_another(self, *given, **options):
        if not others:
            others.append(True)
            spark.sql(f"INSERT INTO {table} VALUES (90, 900, 0)")
        return commit(self, *given, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transaction, "commit", after_another)
        with pytest.raises(ConcurrentAppendException):
            spark.sql(
                f"""MERGE INTO {table} t USING s ON t.id = s.id
                WHEN MATCHED AND t.v < (SELECT max(v) FROM {table}) {UPDATE}"""
            )

    assert rows(spark, table) == sorted([*V.items(), (90, 900)])


def test_other_table_is_read_in_one_version_by_all_jobs(spark, table, tmp_path):
    other = f"delta.`{tmp_path}/other`"
    spark.sql(f"CREATE TABLE {other} USING delta AS SELECT 1 AS id")
    write = MergeExecutor.write

    def after_another(self):
        spark.sql(f"INSERT INTO {other} VALUES (2), (3)")
        return write(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MergeExecutor, "write", after_another)
        spark.sql(
            f"""MERGE INTO {table} t USING s ON t.id = s.id
            WHEN MATCHED AND t.id IN (SELECT id FROM {other}) {UPDATE}"""
        )

    assert rows(spark, table) == updated(1)
    assert spark.sql(f"SELECT count(*) FROM {other}").collect() == [(3,)]


def test_subquery_over_both_sides_of_on_is_refused_before_anything_is_written(spark, table):
    with pytest.raises(AnalysisException) as raised:
        spark.sql(
            f"""MERGE INTO {table} t USING s
            ON t.id = s.id AND EXISTS (SELECT 1 FROM vip WHERE vip.id = s.id AND vip.id < t.v)
            WHEN MATCHED {UPDATE}"""
        )

    assert raised.value.getCondition().startswith("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY")
    assert rows(spark, table) == sorted(V.items())
