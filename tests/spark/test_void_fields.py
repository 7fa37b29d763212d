"""Structs with fields of no type yet: rows with them are changed like any others."""

import pytest

PROPERTIES = {
    "plain": "",
    "feed": "'delta.enableChangeDataFeed' = 'true'",
    "row_ids": "'delta.enableRowTracking' = 'true'",
    "vectors": "'delta.enableDeletionVectors' = 'true'",
    "all": "'delta.enableChangeDataFeed' = 'true', 'delta.enableRowTracking' = 'true', "
    "'delta.enableDeletionVectors' = 'true'",
}


@pytest.mark.parametrize("kind", PROPERTIES)
def test_rows_with_void_fields_are_changed(spark, table_name, kind):
    given = f"TBLPROPERTIES ({PROPERTIES[kind]})" if PROPERTIES[kind] else ""
    spark.sql(
        f"CREATE TABLE {table_name} (id INT, s STRUCT<a: INT, n: VOID>, n VOID) USING delta {given}"
    )
    rows = ", ".join(f"({n}, named_struct('a', {n}, 'n', NULL), NULL)" for n in range(1, 7))
    spark.sql(f"INSERT INTO {table_name} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")

    spark.sql(f"UPDATE {table_name} SET id = 10 WHERE id = 1")
    spark.sql(f"UPDATE {table_name} SET s.a = 20 WHERE id = 2")
    spark.sql(f"DELETE FROM {table_name} WHERE id = 3")
    spark.sql(
        f"MERGE INTO {table_name} t USING (SELECT id FROM VALUES (4), (5), (7) AS v(id)) s "
        "ON t.id = s.id WHEN MATCHED AND t.id = 4 THEN UPDATE SET s.a = 40 "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    )

    found = spark.sql(f"SELECT id, s.a, s.n, n FROM {table_name}").collect()
    assert sorted(map(tuple, found)) == [
        (2, 20, None, None),
        (4, 40, None, None),
        (6, 6, None, None),
        (7, None, None, None),
        (10, 1, None, None),
    ]
    if "Feed" in given:
        feed = spark.sql(f"SELECT _change_type, id, s.a FROM table_changes('{table_name}', 2)")
        assert sorted(map(tuple, feed.collect()), key=str) == [
            ("delete", 3, 3),
            ("delete", 5, 5),
            ("insert", 7, None),
            ("update_postimage", 10, 1),
            ("update_postimage", 2, 20),
            ("update_postimage", 4, 40),
            ("update_preimage", 1, 1),
            ("update_preimage", 2, 2),
            ("update_preimage", 4, 4),
        ]
