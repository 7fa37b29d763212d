"""A notebook shows a table as HTML: its name, size, schema, partitioning and features."""

import textwrap

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    """
    import puredelta
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", "warehouse")
    )
    spark = puredelta.configure(builder).getOrCreate()
    """,
    """
    frame = spark.range(10).selectExpr("id", "id % 2 AS half", "'<b>' AS `a<b`")
    frame.write.format("delta").partitionBy("half").saveAsTable("numbers")
    """,
    "puredelta.DeltaTable.forName(spark, 'numbers')",
    "spark.stop()",
)


@pytest.mark.timeout(180)
# The kernel is another process with a Python of its own; its messages are not ours.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_table_as_the_last_value_of_a_cell_is_shown_as_html(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [nbformat.v4.new_code_cell(textwrap.dedent(cell)) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(tmp_path)}}

    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()

    html = notebook.cells[2].outputs[0].data["text/html"]
    for shown in ("numbers", "half", "bigint", "10"):
        assert shown in html
    assert "a&lt;b" in html
    assert "a<b" not in html
