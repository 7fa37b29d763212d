"""A notebook shows a table as HTML: its name, size, schema, partitioning and features.

What it interrupts leaves the table as it is, and the session goes on.
"""

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
    """
    import os
    import signal
    import threading

    slow = "aggregate(sequence(0, 3000000 + half), 0L, (a, x) -> a + x) >= 0"
    jobs = spark.sparkContext.statusTracker()

    def interrupt():
        while not jobs.getActiveJobsIds():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    spark.sql(f"UPDATE numbers SET id = id + 1 WHERE {slow}")
    """,
    "print(jobs.getActiveJobsIds(), spark.sql('DESCRIBE HISTORY numbers').count())",
    "spark.stop()",
)


@pytest.mark.timeout(180)
# The kernel is another process with a Python of its own; its messages are not ours.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_notebook_shows_a_table_as_html_and_interrupts_a_statement(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [nbformat.v4.new_code_cell(textwrap.dedent(cell)) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(tmp_path)}}

    NotebookClient(
        notebook,
        kernel_name="python3",
        resources=resources,
        allow_error_names=["KeyboardInterrupt"],
    ).execute()

    html = notebook.cells[2].outputs[0].data["text/html"]
    for shown in ("numbers", "half", "bigint", "10"):
        assert shown in html
    assert "a&lt;b" in html
    assert "a<b" not in html

    # A kernel has Python's own handler of signals while a cell runs, not PySpark's.
    assert [one.ename for one in cells[3].outputs if one.output_type == "error"] == [
        "KeyboardInterrupt"
    ]
    assert cells[4].outputs[-1].text == "[] 1\n"
