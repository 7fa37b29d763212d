"""Tables whose log was written by somebody who means harm: nothing in it runs."""

import base64
import contextlib
import json
import os
import pickle

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.types import (
    ArrayType,
    DoubleType,
    LongType,
    StructField,
    StructType,
    UserDefinedType,
)

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaInvariantViolationException

PROPERTY = "puredelta.test.ran"
SET = f"reflect('java.lang.System', 'setProperty', '{PROPERTY}', 'yes')"
REFUSED = "PUREDELTA_STORED_EXPRESSION_REFUSED"
PARTITION = '"partitionValues": {"v": "a"}'

ATTACKS = {
    "reflect": f"{SET} IS NULL OR id > 0",
    "java_method": f"java_method('java.lang.System', 'setProperty', '{PROPERTY}', 'yes') IS NULL",
    "try_reflect": f"try_reflect('java.lang.System', 'setProperty', '{PROPERTY}', 'yes') IS NULL",
    "qualified": f"system.builtin.{SET} IS NULL",
    "identifier": f"IDENTIFIER('reflect')('java.lang.System', 'getProperty', '{PROPERTY}') = 1",
    "identifier_value": f"IDENTIFIER({SET}) > 0",
    "type": f"from_json('1', {SET}) IS NULL",
    "class": 'from_json(\'1\', \'{"type":"udt","class":"java.lang.Object"}\') IS NULL',
    "subquery": "id > (SELECT max(s) FROM secrets)",
    "exists": "EXISTS (SELECT * FROM secrets)",
    "in": "id IN (SELECT s FROM secrets)",
    "udf": "mine(id) > 0",
    "shadowed": "lower(CAST(id AS STRING)) <> 'x'",
    "closed": "id > 0) OR (1 = 1",
    "commented": "id > 0 /*",
    "listed": f"1 AS a, {SET}",
    "random": "rand() < 2",
}


def hand_made(root, *, constraint=None, default=None, generation=None, invariant=None, kind=None):
    """Write the log of an empty table."""
    metadata = {}
    if default is not None:
        metadata |= {"CURRENT_DEFAULT": default, "EXISTS_DEFAULT": default}
    if generation is not None:
        metadata["delta.generationExpression"] = generation
    if invariant is not None:
        metadata["delta.invariants"] = json.dumps({"expression": {"expression": invariant}})
    fields = [
        {"name": "id", "type": "long", "nullable": True, "metadata": {}},
        {"name": "v", "type": kind or "string", "nullable": True, "metadata": metadata},
    ]
    features = ["appendOnly", "invariants", "checkConstraints", "generatedColumns"]
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": [],
        "writerFeatures": [*features, "allowColumnDefaults"],
    }
    about = {
        "id": "00000000-0000-0000-0000-000000000001",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": {} if constraint is None else {"delta.constraints.c": constraint},
    }
    log = root / "_delta_log"
    log.mkdir(parents=True)
    actions = [{"protocol": protocol}, {"metaData": about}]
    (log / f"{0:020}.json").write_text("\n".join(map(json.dumps, actions)))
    return str(root)


@pytest.fixture
def spark(spark):
    """A session whose functions and variables no other test sees."""
    return spark.newSession()


@pytest.fixture
def caller(spark):
    """A session with things of its own, and how to see that nothing of them was used."""
    spark.sql("SELECT 1L AS s").createOrReplaceTempView("secrets")
    spark.udf.register("mine", lambda _: 1, "int")
    spark.udf.register("lower", lambda _: "mine", "string")
    system = spark.sparkContext._jvm.java.lang.System
    system.clearProperty(PROPERTY)
    yield lambda: system.getProperty(PROPERTY)
    system.clearProperty(PROPERTY)


@pytest.mark.parametrize("name", ATTACKS)
def test_no_constraint_of_a_log_runs(spark, caller, tmp_path, name):
    path = hand_made(tmp_path / "t", constraint=ATTACKS[name])
    rows = spark.range(1, 3).selectExpr("id", "'x' AS v")

    with pytest.raises(Exception, match=REFUSED) as raised:
        rows.write.format("delta").mode("append").save(path)

    assert "DROP CONSTRAINT c" in str(raised.value)
    assert spark.read.format("delta").load(path).count() == 0
    assert caller() is None


def test_no_statement_evaluates_a_poisoned_constraint(spark, caller, tmp_path):
    path = hand_made(tmp_path / "t")
    spark.range(1, 3).selectExpr("id", "'x' AS v").write.format("delta").mode("append").save(path)
    log = tmp_path / "t" / "_delta_log"
    actions = (log / f"{0:020}.json").read_text().splitlines()
    about = json.loads(actions[1])
    about["metaData"]["configuration"] = {"delta.constraints.c": ATTACKS["reflect"]}
    (log / f"{2:020}.json").write_text(json.dumps(about))
    table = f"delta.`{path}`"

    source = f"{table} t USING (SELECT 1L AS id) s ON t.id = s.id"
    for statement in (
        f"INSERT INTO {table} VALUES (7, 'y')",
        f"INSERT OVERWRITE {table} VALUES (7, 'y')",
        f"UPDATE {table} SET v = 'z' WHERE id = 1",
        f"MERGE INTO {source} WHEN MATCHED THEN UPDATE SET v = 'w'",
        f"MERGE INTO {source} AND false WHEN NOT MATCHED THEN INSERT (id) VALUES (9)",
    ):
        with pytest.raises(Exception, match=REFUSED):
            spark.sql(statement)
    assert caller() is None
    spark.sql(f"ALTER TABLE {table} DROP CONSTRAINT c")
    spark.sql(f"UPDATE {table} SET v = 'z' WHERE id = 1")
    assert {tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect()} == {
        (1, "z"),
        (2, "x"),
    }


@pytest.mark.parametrize("where", ["generation", "default", "invariant"])
@pytest.mark.parametrize(
    "text", [SET, "CAST(mine(1) AS STRING)", "(SELECT 'a' FROM secrets)", f"'a', {SET}"]
)
def test_no_other_expression_of_a_log_runs(spark, caller, tmp_path, where, text):
    path = hand_made(tmp_path / "t", **{where: text if where != "invariant" else f"{text} = 'a'"})

    assert spark.read.format("delta").load(path).count() == 0
    with pytest.raises(Exception, match=REFUSED):
        spark.range(1, 3).write.format("delta").mode("append").save(path)
    if where == "default":
        for statement in ("(id) VALUES (1)", "VALUES (1, DEFAULT)"):
            with pytest.raises(Exception, match=REFUSED):
                spark.sql(f"INSERT INTO delta.`{path}` {statement}")
    assert caller() is None
    assert spark.read.format("delta").load(path).count() == 0


def with_file(root, path, actions=()):
    """Add a file that has the column `id` alone, beside more actions, to a hand-made table."""
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int64())}), root / "f.parquet")
    add = {
        "path": "f.parquet",
        "partitionValues": {},
        "size": (root / "f.parquet").stat().st_size,
        "modificationTime": 0,
        "dataChange": True,
    }
    lines = [*actions, {"add": add}]
    (root / "_delta_log" / f"{1:020}.json").write_text("\n".join(map(json.dumps, lines)))
    return f"delta.`{path}`"


CHANGES = {
    "insert": "INSERT INTO {t} (id) VALUES (7)",
    "overwrite": "INSERT OVERWRITE {t} (id) VALUES (7)",
    "replace": "INSERT INTO {t} REPLACE WHERE id = 1 SELECT 1L AS id, 'x' AS v",
    "update": "UPDATE {t} SET id = 9 WHERE id = 1",
    "merge": "MERGE INTO {t} t USING (SELECT 9L AS id) s ON t.id = s.id "
    "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
}


@pytest.mark.parametrize("where", ["constraint", "generation", "default", "invariant"])
def test_no_change_of_a_table_evaluates_what_its_log_holds(spark, caller, tmp_path, where):
    text = SET if where in {"generation", "default"} else f"{SET} IS NULL"
    table = with_file(tmp_path / "t", hand_made(tmp_path / "t", **{where: text}))

    assert [row.v for row in spark.sql(f"SELECT * FROM {table} WHERE v IS NULL").collect()] == [
        None,
        None,
    ]
    for kind, statement in CHANGES.items():
        if where == "default" and kind in {"update", "replace"}:
            continue  # no row gets the default
        with pytest.raises(Exception, match=REFUSED):
            spark.sql(statement.format(t=table))
    spark.sql(f"DELETE FROM {table} WHERE id = 2")
    assert [row.id for row in spark.sql(f"SELECT * FROM {table}").collect()] == [1]
    assert caller() is None


def test_no_filter_is_derived_from_what_a_log_holds(spark, caller, tmp_path):
    path = hand_made(tmp_path / "t", generation=SET)
    log = tmp_path / "t" / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace('"partitionColumns": []', '"partitionColumns": ["v"]'))
    table = with_file(tmp_path / "t", path)
    commit = tmp_path / "t" / "_delta_log" / f"{1:020}.json"
    commit.write_text(commit.read_text().replace('"partitionValues": {}', PARTITION))

    rows = spark.sql(f"SELECT * FROM {table} WHERE id = 1").collect()
    spark.sql(f"DELETE FROM {table} WHERE id = 2 AND v = 'a'")

    assert [tuple(row) for row in rows] == [(1, "a")]
    assert spark.sql(f"SELECT * FROM {table}").count() == 1
    assert caller() is None


@pytest.mark.parametrize("text", [f"{SET} IS NULL", "mine(v.a) > 0", "v.a > 0) OR (true"])
def test_no_invariant_inside_a_struct_runs(spark, caller, tmp_path, text):
    invariant = json.dumps({"expression": {"expression": text}})
    inner = {
        "name": "a",
        "type": "integer",
        "nullable": True,
        "metadata": {"delta.invariants": invariant},
    }
    path = hand_made(tmp_path / "t", kind={"type": "struct", "fields": [inner]})
    rows = spark.range(1).selectExpr("id", "named_struct('a', 1) AS v")

    with pytest.raises(Exception, match=REFUSED):
        rows.write.format("delta").mode("append").save(path)

    assert caller() is None


def test_nothing_in_the_footer_of_a_converted_file_runs(spark, caller, tmp_path):
    invariant = json.dumps({"expression": {"expression": f"{SET} IS NULL"}})
    metadata = {
        "delta.generationExpression": SET,
        "CURRENT_DEFAULT": SET,
        "EXISTS_DEFAULT": SET,
        "delta.invariants": invariant,
    }
    rows = spark.range(1).selectExpr("id", "'x' AS v")
    rows.select("id", rows.v.alias("v", metadata=metadata)).write.parquet(str(tmp_path / "t"))

    table = f"parquet.`{tmp_path / 't'}`"
    with contextlib.suppress(AnalysisException):
        spark.sql(f"CONVERT TO DELTA {table}")
        spark.sql(f"SELECT * FROM delta.`{tmp_path / 't'}`").collect()
        spark.sql(f"INSERT INTO delta.`{tmp_path / 't'}` (id) VALUES (2)")

    assert caller() is None


@pytest.mark.parametrize("where", ["generation", "default", "invariant"])
def test_variables_of_the_session_are_not_read(spark, tmp_path, where):
    spark.sql("DECLARE OR REPLACE VARIABLE secret STRING DEFAULT 'hidden'")
    text = "secret" if where != "invariant" else "secret = 'hidden'"
    path = hand_made(tmp_path / "t", **{where: text})
    rows = spark.range(1)
    if where == "generation":  # what is no column there is null
        rows.write.format("delta").mode("append").save(path)
        assert spark.read.format("delta").load(path).where("v IS NULL").count() == 1
    else:
        with pytest.raises(Exception, match=REFUSED):
            rows.write.format("delta").mode("append").save(path)


@pytest.mark.parametrize("where", ["generation", "default"])
def test_variables_in_braces_are_not_replaced(spark, tmp_path, where):
    os.environ.setdefault("HOME", "/root")
    path = hand_made(tmp_path / "t", **{where: "concat('${env:HOME}', '${spark.app.name}')"})
    spark.range(1).write.format("delta").mode("append").save(path)
    [row] = spark.read.format("delta").load(path).collect()
    assert row.v == "${env:HOME}${spark.app.name}"


def test_a_trusted_table_uses_functions_of_the_session(spark, caller, tmp_path):
    path = hand_made(tmp_path / "t", constraint="mine(id) = 1")
    spark.conf.set("spark.puredelta.trustTableExpressions", "true")
    rows = spark.range(1, 3).selectExpr("id", "'x' AS v")
    rows.write.format("delta").mode("append").save(path)
    assert spark.read.format("delta").load(path).count() == 2


def test_owners_are_held_to_the_same_rule(spark, caller, tmp_path):
    path = hand_made(tmp_path / "t")
    refused = {SET + " = 'a'": REFUSED, "mine(id) > 0": "DELTA_UDF_IN_CHECK_CONSTRAINT"}
    for text, condition in refused.items():
        with pytest.raises(Exception, match=condition):
            spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT d CHECK ({text})")
    assert caller() is None


def test_legitimate_constraints_go_on(spark, tmp_path):
    text = (
        "id BETWEEN 1 AND 9 AND upper(v) RLIKE '^[A-Z]+$' AND CASE WHEN id > 1 THEN true ELSE "
        "v IS NOT NULL END AND exists(array(1, 2), x -> x < id + 5) AND v <> '${HOME}' "
        "AND extract(YEAR FROM date '2020-01-01') = 2020 -- and so on"
    )
    path = hand_made(tmp_path / "t", constraint=text)
    rows = spark.range(1, 3).selectExpr("id", "'x' AS v")
    rows.write.format("delta").mode("append").save(path)
    assert spark.read.format("delta").load(path).count() == 2
    with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT"):
        rows.selectExpr("id + 20 AS id", "v").write.format("delta").mode("append").save(path)


class _Runs:
    def __reduce__(self):
        return (os.putenv, (PROPERTY, "yes"))


@pytest.mark.parametrize("is_python", [True, False])
def test_a_user_defined_type_imports_nothing(spark, tmp_path, is_python):
    named = {"class": "javax.swing.JFrame"}
    if is_python:
        payload = base64.b64encode(pickle.dumps(_Runs())).decode()
        named = {"pyClass": "antigravity.Evil", "serializedClass": payload}
    kind = {"type": "udt", **named, "sqlType": "string"}
    path = hand_made(tmp_path / "t", kind=kind, constraint="v <> 'z'")
    spark.range(1).selectExpr("id", "'x' AS v").write.format("delta").mode("append").save(path)
    table = f"delta.`{path}`"
    spark.sql(f"INSERT INTO {table} VALUES (2, 'y')")
    spark.sql(f"UPDATE {table} SET v = 'w' WHERE id = 2")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN n INT")
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 5L AS id) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (5, 'q')"
    )
    rows = DeltaTable.forPath(spark, path).toDF()
    assert rows.schema["v"].dataType.typeName() == "string"
    assert {row.v for row in rows.collect()} == {"x", "w", "q"}


def test_vectors_of_spark_stay_vectors(spark, tmp_path):
    from pyspark.ml.linalg import Vectors, VectorUDT

    path = str(tmp_path / "t")
    rows = spark.createDataFrame([(1, Vectors.dense([1.0, 2.0]))], ["id", "v"])
    rows.write.format("delta").save(path)
    rows.write.format("delta").mode("append").save(path)
    held = spark.read.format("delta").load(path)
    assert isinstance(held.schema["v"].dataType, VectorUDT)
    assert [row.v for row in held.collect()] == [Vectors.dense([1.0, 2.0])] * 2


class _Point:
    def __init__(self, x):
        self.x = x
        self.__UDT__ = _PointType()


class _PointType(UserDefinedType):
    @classmethod
    def sqlType(cls):  # PySpark's name
        return ArrayType(DoubleType(), containsNull=False)

    @classmethod
    def module(cls):
        return __name__

    def serialize(self, obj):
        return [obj.x]

    def deserialize(self, datum):
        return _Point(datum[0])


def test_a_class_that_the_program_has_loaded_stays(spark, tmp_path):
    path = str(tmp_path / "t")
    schema = StructType([StructField("id", LongType()), StructField("p", _PointType())])
    rows = spark.createDataFrame([(1, _Point(1.5))], schema)
    for mode in ("error", "append", "overwrite", "append"):
        rows.write.format("delta").mode(mode).save(path)
    held = spark.read.format("delta").load(path)
    assert isinstance(held.schema["p"].dataType, _PointType)
    assert [row.p.x for row in held.collect()] == [1.5, 1.5]


@pytest.fixture(params=["true", None], ids=["ansi set", "ansi by default"])
def quoted_names(setting, request):
    """Lets double quotes be those of names, or of strings again."""

    def put(*, names):
        if request.param is not None:
            setting("spark.sql.ansi.enabled", request.param)
        setting("spark.sql.ansi.doubleQuotedIdentifiers", str(names).lower())

    return put


def test_names_in_double_quotes_are_names_in_every_session(spark, tmp_path, quoted_names):
    path = str(tmp_path / "t")
    quoted_names(names=True)
    spark.sql(
        f'CREATE TABLE delta.`{path}` (id INT, "a b" STRING, n INT GENERATED ALWAYS AS ("id" + 1),'
        """ CHECK ("id" > 0)) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"""
    )
    spark.sql(f"""ALTER TABLE delta.`{path}` ADD CONSTRAINT c CHECK ("a b" <> '"')""")
    for names in (True, False):
        quoted_names(names=names)
        spark.sql(f"INSERT INTO delta.`{path}` (id, `a b`) VALUES (1, 'x')")
        for values in ("(0, 'x')", "(1, '\"')"):
            with pytest.raises(DeltaInvariantViolationException):
                spark.sql(f"INSERT INTO delta.`{path}` (id, `a b`) VALUES {values}")

    assert [tuple(row) for row in spark.read.format("delta").load(path).collect()] == [
        (1, "x", 2),
        (1, "x", 2),
    ]
    [row] = DeltaTable.forPath(spark, path).constraints().where("name = 'c'").collect()
    assert row.expression == "`a b` <> '\"'"


def test_strings_in_double_quotes_are_strings_in_every_session(spark, tmp_path, quoted_names):
    path = str(tmp_path / "t")
    quoted_names(names=False)
    spark.sql(
        f'CREATE TABLE delta.`{path}` (v STRING, w STRING GENERATED ALWAYS AS (concat(v, "it\'s")))'
        " USING delta"
    )
    spark.sql(f'ALTER TABLE delta.`{path}` ADD CONSTRAINT c CHECK (v <> "v")')

    for names in (False, True):
        quoted_names(names=names)
        spark.sql(f"INSERT INTO delta.`{path}` (v) VALUES ('x')")
        with pytest.raises(DeltaInvariantViolationException):
            spark.sql(f"INSERT INTO delta.`{path}` (v) VALUES ('v')")

    rows = spark.read.format("delta").load(path).collect()
    assert [tuple(row) for row in rows] == [("x", "xit's")] * 2


@pytest.mark.parametrize("function", ["mine", "lower", "of_sql", "of_session"])
def test_constraint_is_not_added_with_a_function_of_the_session(spark, caller, tmp_path, function):
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT) USING delta")
    spark.sql("CREATE TEMPORARY FUNCTION of_session(x INT) RETURNS INT RETURN x + 1")
    spark.sql("CREATE OR REPLACE FUNCTION of_sql(x INT) RETURNS INT RETURN x + 1")
    try:
        with pytest.raises(Exception, match="DELTA_UDF_IN_CHECK_CONSTRAINT") as raised:
            spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT c CHECK ({function}(id) = 1)")
        with pytest.raises(Exception, match="DELTA_UDF_IN_CHECK_CONSTRAINT"):
            spark.sql(f"CREATE TABLE u (id INT CHECK ({function}(id) = 1)) USING delta")
    finally:
        spark.sql("DROP FUNCTION of_sql")

    assert f"{function} in" in str(raised.value)
    assert DeltaTable.forPath(spark, path).constraints().count() == 0
