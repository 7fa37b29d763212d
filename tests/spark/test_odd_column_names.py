"""Columns with names that statements might have taken for columns of their own."""

NAMES = ("__old_row", "__merge_action", "__merge_old", "__file_of_row", "__is_cdc", "__parts")


def test_changes_keep_columns_of_any_name(spark, table_name):
    columns = ", ".join(f"{name} INT" for name in NAMES)
    spark.sql(
        f"CREATE TABLE {table_name} (id INT, {columns}) USING delta TBLPROPERTIES"
        " ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true')"
    )
    first, second = (", ".join(str(n) for _ in NAMES) for n in (1, 2))
    spark.sql(f"INSERT INTO {table_name} VALUES (1, {first}), (2, {first}), (3, {first})")

    spark.sql(f"UPDATE {table_name} SET __old_row = 5 WHERE id = 1")
    spark.sql(
        f"MERGE INTO {table_name} t USING (SELECT * FROM VALUES (2, {second}), (4, {second})"
        f" AS s(id, {', '.join(NAMES)})) AS s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        " WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN DELETE"
    )

    rows = spark.table(table_name).orderBy("id").collect()
    assert [tuple(row) for row in rows] == [
        (1, 5, 1, 1, 1, 1, 1),
        (2, 2, 2, 2, 2, 2, 2),
        (4, 2, 2, 2, 2, 2, 2),
    ]
    changes = spark.sql(f"SELECT * FROM table_changes('{table_name}', 3)")
    seen = {(row["_change_type"], row["id"], row["__is_cdc"]) for row in changes.collect()}
    assert seen == {
        ("update_preimage", 2, 1),
        ("update_postimage", 2, 2),
        ("insert", 4, 2),
        ("delete", 3, 1),
    }
