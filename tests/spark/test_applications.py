"""Applications that number their writes: the one that makes the table counts as well."""

import pytest


def save_table(frame, name, mode):
    numbered = frame.write.option("txnAppId", "app").option("txnVersion", "1")
    numbered.format("delta").mode(mode).saveAsTable(name)


def replace_table(frame, name, _mode):
    numbered = frame.writeTo(name).using("delta")
    numbered.option("txnAppId", "app").option("txnVersion", "1").createOrReplace()


@pytest.mark.parametrize(
    ("write", "mode"),
    [(save_table, "append"), (save_table, "overwrite"), (replace_table, "")],
)
def test_write_that_made_the_table_is_not_made_twice(spark, table_name, write, mode):
    write(spark.range(3), table_name, mode)
    write(spark.range(10, 15), table_name, mode)

    assert sorted(row.id for row in spark.table(table_name).collect()) == [0, 1, 2]
