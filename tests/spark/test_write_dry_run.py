"""A dry run of a write checks and counts all that the write would do, and leaves no trace."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from puredelta import DeltaTable
from puredelta.api import WritePreview


@pytest.fixture
def table(spark, tmp_path):
    """Four rows in two partitions, and a rule."""
    path = tmp_path / "t"
    spark.sql(f"""CREATE TABLE delta.`{path}` (id INT, part STRING) USING delta
        PARTITIONED BY (part)""")
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT low CHECK (id < 100)")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'b')")
    return path


def new_rows(spark, rows="(7, 'a'), (8, 'a')"):
    return spark.sql(f"SELECT * FROM VALUES {rows} AS v(id, part)")


def contents(path: Path) -> dict[str, int]:
    return {str(file): file.stat().st_size for file in path.rglob("*") if file.is_file()}


def printed(capsys, spark, path, mode, rows=None, **options):
    """Return what a dry run of a DataFrameWriter prints."""
    frame = new_rows(spark) if rows is None else rows
    before = contents(path)
    capsys.readouterr()
    frame.write.format("delta").mode(mode).option("dryRun", True).options(**options).save(str(path))
    assert contents(path) == before
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("mode", "options", "added", "removed", "moved"),
    [
        ("append", {}, 1, 0, 0),
        ("overwrite", {}, 1, 2, 0),
        ("overwrite", {"partitionOverwriteMode": "dynamic"}, 1, 1, 0),
        ("overwrite", {"replaceWhere": "part = 'a'"}, 1, 1, 0),
        ("overwrite", {"replaceWhere": "id > 3 AND part = 'a' OR id = 7 OR id = 8"}, 1, 0, 0),
        ("overwrite", {"replaceUsing": "part"}, 1, 1, 0),
    ],
)
def test_writer_prints_what_it_would_do(spark, table, capsys, mode, options, added, removed, moved):
    text = printed(capsys, spark, table, mode, **options)

    assert f"WRITE to {_label(text)}, version 2 (dry run)" in text
    assert f"rows: 2 new, {moved} moved to other files" in text
    assert f"adds: {added} files" in text
    assert f"removes: {removed} files" in text


def _label(text: str) -> str:
    return text.split("WRITE to ")[1].split(", version", maxsplit=1)[0]


def test_dry_run_counts_what_the_write_then_does(spark, table):
    rows = new_rows(spark, "(9, 'b')")
    by_path = DeltaTable.forPath(spark, str(table))
    before = contents(table)

    preview = by_path.replace_where(rows, "id = 3 OR id = 9", dryRun=True)

    assert isinstance(preview, WritePreview)
    assert contents(table) == before
    done = by_path.replace_where(rows, "id = 3 OR id = 9")
    assert (preview.rows, preview.files) == (1, done.files)
    assert (preview.removed_files, preview.removed_bytes) == (
        done.removed_files,
        done.removed_bytes,
    )
    assert preview.rows_copied == 1
    assert "1 new, 1 moved" in preview._repr_html_()


@pytest.mark.parametrize(
    ("condition", "marked", "removed"), [("id = 3 OR id = 9", 1, 0), ("id > 2", 2, 1)]
)
def test_rows_are_marked_where_the_table_has_vectors(spark, table, condition, marked, removed):
    spark.sql(
        f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    rows = new_rows(spark, "(9, 'b')").coalesce(1)
    by_path = DeltaTable.forPath(spark, str(table))
    before = contents(table)

    preview = by_path.replace_where(rows, condition, dryRun=True)

    assert contents(table) == before
    assert (preview.rows_marked, preview.rows_copied) == (marked, 0)
    assert f"marks: {marked} rows as deleted" in str(preview)
    done = by_path.replace_where(rows, condition)
    assert (done.rows, done.files, done.removed_files) == (1, 1, removed)
    assert (preview.rows, preview.files, preview.removed_files) == (1, 1, removed)
    assert (preview.bytes, preview.removed_bytes) == (done.bytes, done.removed_bytes)
    kept = {1, 2, 4, 9} if marked == 1 else {1, 2, 9}
    assert {row.id for row in by_path.toDF().collect()} == kept


def test_rule_is_checked_on_every_row(spark, table, capsys):
    before = contents(table)

    with pytest.raises(PySparkException, match="low"):
        printed(capsys, spark, table, "append", rows=new_rows(spark, "(100, 'a')"))

    assert spark.read.format("delta").load(str(table)).count() == 4
    assert set(before) <= set(contents(table))


def test_column_that_would_come_is_listed(spark, table, capsys):
    rows = new_rows(spark).selectExpr("*", "1L AS extra")

    text = printed(capsys, spark, table, "append", rows=rows, mergeSchema=True)

    assert "column: extra: added, BIGINT" in text


def test_feed_and_identity_leave_no_trace(spark, tmp_path):
    path = tmp_path / "i"
    spark.sql(f"""CREATE TABLE delta.`{path}` (n BIGINT GENERATED ALWAYS AS IDENTITY, id INT)
        USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)""")
    spark.sql(f"INSERT INTO delta.`{path}` (id) VALUES (1), (2)")
    before = contents(path)

    preview = DeltaTable.forPath(spark, str(path)).replace_where(
        spark.sql("SELECT 2 AS id"), "id = 2", dryRun=True
    )

    assert preview.rows_copied == 1
    assert contents(path) == before


def test_table_to_be_made_is_refused(spark, tmp_path):
    with pytest.raises(PySparkException, match="would make or replace the table"):
        new_rows(spark).write.format("delta").option("dryRun", True).save(str(tmp_path / "new"))

    assert not (tmp_path / "new").exists()


def test_table_of_the_catalog(spark, table, capsys):
    spark.sql(f"CREATE TABLE dry_target USING delta LOCATION '{table}'")
    try:
        capsys.readouterr()
        new_rows(spark).writeTo("dry_target").option("dryRun", "true").append()
        assert "adds: 1 files" in capsys.readouterr().out
        assert spark.table("dry_target").count() == 4
    finally:
        spark.sql("DROP TABLE dry_target")
