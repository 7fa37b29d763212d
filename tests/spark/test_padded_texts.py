"""CHAR(n) columns in the expressions of a table mean what Spark's queries of them mean."""

import pyarrow.parquet as pq
import pytest

from puredelta.engine.exceptions import DeltaInvariantViolationException
from puredelta.errors import DeltaError
from tests.spark.changed_rows import VECTORS, create, put, rows_of, run

_NESTED = "id INT, c CHAR(5), s STRUCT<c: CHAR(5)>, a ARRAY<CHAR(5)>, m MAP<STRING, CHAR(5)>"


def _nested(id_, text):
    value = f"'{text}'"
    return f"({id_}, {value}, named_struct('c', {value}), array({value}), map('k', {value}))"


def _in_files(root):
    """Return what files hold; Spark would pad it."""
    tables = [pq.ParquetFile(one).read() for one in root.rglob("*.parquet")]
    return [tuple(row.values()) for table in tables for row in table.to_pylist()]


def test_constraints_take_texts_however_they_are_padded(spark, tmp_path):
    root = tmp_path / "t"
    create(spark, root, "id INT, c CHAR(5), s STRUCT<c: CHAR(5)>")
    spark.sql(f"ALTER TABLE delta.`{root}` ADD CONSTRAINT k CHECK (c = 'ab')")
    spark.sql(f"ALTER TABLE delta.`{root}` ADD CONSTRAINT l CHECK (length(c) = 5 AND c = s.c)")
    put(spark, root, "(1, 'ab', named_struct('c', 'ab   '))")
    put(spark, root, "(2, 'ab  ', named_struct('c', 'ab'))")

    with pytest.raises(DeltaInvariantViolationException, match="CHECK constraint k"):
        put(spark, root, "(3, 'abc', named_struct('c', 'abc'))")
    run(spark, f"UPDATE delta.`{root}` SET c = 'ab' WHERE id = 2")
    source = "(SELECT 2 id, 'ab' c UNION ALL SELECT 4, 'ab') s"
    spark.sql(
        f"MERGE INTO delta.`{root}` t USING {source} ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET c = s.c "
        "WHEN NOT MATCHED THEN INSERT (id, c, s) VALUES (s.id, s.c, named_struct('c', 'ab'))"
    )

    assert rows_of(spark, root) == [(n, "ab   ", ("ab   ",)) for n in (1, 2, 4)]
    assert (1, "ab", {"c": "ab   "}) in _in_files(root)
    with pytest.raises(DeltaInvariantViolationException, match="CHECK constraint k"):
        spark.sql(
            f"MERGE INTO delta.`{root}` t USING (SELECT 1 id) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET c = 'b'"
        )


def test_generated_columns_are_what_a_query_would_say(spark, tmp_path):
    root = tmp_path / "t"
    create(
        spark,
        root,
        "id INT, c CHAR(5), g BOOLEAN GENERATED ALWAYS AS (c = 'ab'), "
        "n INT GENERATED ALWAYS AS (length(c))",
    )
    spark.sql(f"INSERT INTO delta.`{root}` (id, c) VALUES (1, 'ab'), (2, 'ab   '), (3, 'x')")
    put(spark, root, "(4, 'ab', true, 5)")
    run(spark, f"UPDATE delta.`{root}` SET c = 'ab' WHERE id = 3")
    spark.sql(
        f"MERGE INTO delta.`{root}` t USING (SELECT 5 id, 'ab' c) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, c) VALUES (s.id, s.c)"
    )

    assert rows_of(spark, root) == [(n, "ab   ", True, 5) for n in range(1, 6)]
    assert (1, "ab", True, 5) in _in_files(root)
    with pytest.raises(DeltaInvariantViolationException):
        put(spark, root, "(6, 'ab', false, 5)")


@pytest.mark.parametrize("properties", [{}, VECTORS], ids=["files", "vectors"])
def test_rows_change_for_which_a_query_finds_the_texts(spark, tmp_path, properties):
    root = tmp_path / "t"
    create(spark, root, _NESTED, properties=properties)
    put(spark, root, _nested(1, "ab"), _nested(2, "ab   "), _nested(3, "zz"))
    put(spark, root, _nested(4, "ab"))

    for condition in ("c = 'ab'", "s.c = 'ab   '", "a[0] = 'ab   '", "m['k'] = 'ab   '"):
        found = spark.sql(f"SELECT id FROM delta.`{root}` WHERE {condition}").count()
        changed = run(spark, f"UPDATE delta.`{root}` AS t SET t.id = t.id WHERE {condition}")
        assert (changed, found) == (3, 3), condition
    assert run(spark, f"DELETE FROM delta.`{root}` WHERE s.c = 'zz   '") == 1
    assert run(spark, f"DELETE FROM delta.`{root}` WHERE c IN ('ab', 'q')") == 3


def test_overwrites_and_partitions_take_texts_however_they_are_padded(spark, tmp_path):
    root = tmp_path / "t"
    create(spark, root, "id INT, c CHAR(5)", by=["c"])
    put(spark, root, "(1, 'ab')", "(2, 'ab   ')", "(3, 'zz')")
    new = spark.createDataFrame([(4, "ab")], "id INT, c STRING")
    write = new.write.format("delta").mode("overwrite")

    assert run(spark, f"UPDATE delta.`{root}` SET id = id WHERE c = 'ab'") == 2
    write.option("replaceWhere", "c = 'ab'").save(str(root))

    assert rows_of(spark, root) == [(3, "zz   "), (4, "ab   ")]
    with pytest.raises(DeltaError, match="c = 'zz'"):
        write.option("replaceWhere", "c = 'zz'").save(str(root))
    assert run(spark, f"DELETE FROM delta.`{root}` WHERE c = 'ab'") == 1


def test_constraint_means_the_same_rows_in_proof_and_in_writes(spark, tmp_path):
    table = f"delta.`{tmp_path / 't'}`"
    spark.sql(f"CREATE TABLE {table} (c CHAR(5), s STRUCT<c: CHAR(5)>) USING delta")
    row = f"INSERT INTO {table} SELECT 'ab', named_struct('c', 'ab')"
    spark.sql(row)

    # Spark pads what a column is compared with, and not what a field of one is.
    for wrong in ("c <> 'ab'", "s.c = 'ab'", "s.c <> 'ab   '"):
        with pytest.raises(DeltaError, match="DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"):
            spark.sql(f"ALTER TABLE {table} ADD CHECK ({wrong})")
    for right in ("c = 'ab'", "s.c = 'ab   '", "s.c <> 'ab'"):
        spark.sql(f"ALTER TABLE {table} ADD CHECK ({right})")
    spark.sql(row)

    assert spark.table(table).count() == 2
