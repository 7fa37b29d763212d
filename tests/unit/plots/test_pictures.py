"""Pictures have the figures of the log: what is drawn is what the table has."""

import sys
from datetime import date

import deltalake
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.plots import canvas
from puredelta.plots.canvas import MAIN, PALE, tick_text
from puredelta.plots.files_read import draw_files_read, read_bars
from puredelta.plots.partitions import draw_partitions
from puredelta.plots.sizes import draw_sizes
from puredelta.plots.versions import draw_versions
from puredelta.rows.open_table import open_table

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Write ten days, each of as many rows as its number, in ten versions."""
    folder = str(tmp_path_factory.mktemp("table") / "t")
    for day in range(1, 11):
        rows = pa.table({"id": [day] * day, "day": [date(2026, 1, day)] * day})
        deltalake.write_deltalake(folder, rows, partition_by=["day"], mode="append")
    return open_table(folder)


def heights(axes, color):
    return [
        bar.get_height()
        for bar in axes.patches
        if canvas_color(bar.get_facecolor()) == color and bar.get_height()
    ]


def canvas_color(rgba):
    return "#" + "".join(f"{round(part * 255):02x}" for part in rgba[:3])


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_versions_are_steps_of_rows_and_bytes(table):
    figure = table.plot.versions()

    rows, size = figure.axes
    assert [list(step.get_data().values) for step in rows.patches] == [
        [day * (day + 1) // 2 for day in range(1, 11)]
    ] * 2
    assert size.patches[0].get_data().values[-1] == table.snapshot.size_in_bytes
    assert rows.get_title(loc="left") == table.log.store.url
    assert figure._repr_png_()[0].startswith(PNG)


def test_versions_whose_rows_are_unknown_leave_a_gap():
    versions = pa.table({"version": [3, 4], "num_rows": [None, 7], "size": [1, 2]})

    rows, _ = draw_versions("t", versions).axes

    values = rows.patches[0].get_data().values
    assert np.isnan(values[0])
    assert values[1] == 7
    assert rows.get_ylabel() == "rows, where known"


def test_sizes_are_counted_in_bins_of_powers_of_two():
    figure = draw_sizes("t", pa.table({"size": [0, 1, 1024, 2047, 2048]}))

    [axes] = figure.axes
    bars = [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in axes.patches]
    assert [bar for bar in bars if bar[2]] == [(1, 1, 2), (1024, 1024, 2), (2048, 2048, 1)]
    assert len(bars) == 12
    assert axes.get_title(loc="left") == "t\n5 files, 5.0 KiB, median 1.0 KiB"


def test_partitions_are_bars_the_largest_first(table):
    [axes] = table.plot.partitions("num_records").axes

    assert [bar.get_width() for bar in axes.patches] == list(range(10, 0, -1))
    assert labels(axes.yaxis)[0] == "day=2026-01-10"
    assert "10 partitions, the largest has 1.8 times the median" in axes.get_title(loc="left")
    assert axes.get_xlabel() == "rows of partition"


def test_many_partitions_are_cut_and_counted():
    values = [{"p": str(number)} for number in range(100)]
    partitions = pa.table({"partition": values, "num_files": range(100)})

    [axes] = draw_partitions("t", partitions, "num_files").axes

    assert len(axes.patches) == 30
    assert axes.get_xlabel() == "files of partition (70 smaller partitions are not shown)"


def test_partitions_by_anything_else_are_refused(table):
    with pytest.raises(ValueError, match="num_records"):
        table.plot.partitions("rows")


def test_files_that_a_filter_reads_have_another_color(table):
    [axes] = table.plot.files_read([("day", ">=", date(2026, 1, 9))]).axes

    assert axes.get_title(loc="left").startswith("day >= 2026-01-09\nreads 2 of 10 files, ")
    sizes = {row["partition"]["day"].day: row["size"] for row in table.files().to_pylist()}
    assert heights(axes, MAIN) == [sizes[9], sizes[10]]
    assert heights(axes, PALE) == [sizes[day] for day in range(1, 9)]
    assert labels(axes.xaxis) == [f"2026-01-{day:02}" for day in range(1, 11)]
    assert axes.get_xlabel() == "files by day"


def test_statistics_skip_files_too(table):
    [axes] = table.plot.files_read([[("id", "=", 3)], [("id", "=", 4)]]).axes

    assert axes.get_title(loc="left").startswith("(id = 3) or (id = 4)\nreads 2 of 10 files")


def test_expressions_skip_no_file(table):
    [axes] = table.plot.files_read(pc.field("id") == 3).axes

    assert axes.get_title(loc="left").startswith("(id == 3)\nreads 10 of 10 files")


def test_files_are_sorted_by_their_partitions():
    values = [{"p": 10}, {"p": 2}, {"p": 10}]
    files = pa.table({"path": ["a", "b", "c"], "size": [1, 2, 4], "partition": values})

    assert read_bars(files, ["a"]) == ([0, 1, 0], [2, 0, 4], 1, [("p=2", 0), ("p=10", 1)])


def test_many_files_share_bars():
    files = pa.table({"path": [str(n) for n in range(1000)], "size": [1] * 1000})

    [axes] = draw_files_read("c", files, [str(n) for n in range(500)]).axes

    assert sum(heights(axes, MAIN)) == sum(heights(axes, PALE)) == 500
    assert axes.get_xlabel() == "files, 3 a bar"


@pytest.mark.parametrize("name", ["$x^2$ \\frac{", "\u202e\n<b>", "x" * 500])
def test_names_of_other_writers_are_drawn_as_they_are(name):
    files = pa.table({"path": ["a"], "size": [1], "partition": [{name: name}]})
    partitions = pa.table({"partition": [{name: name}], "size": [1]})

    figures = [
        draw_sizes(name, files),
        draw_partitions(name, partitions, "size"),
        draw_files_read(name, files, []),
    ]

    for figure in figures:
        assert figure._repr_png_()[0].startswith(PNG)
        assert max(map(len, figure.axes[0].get_title(loc="left").split("\n"))) <= 84


def test_empty_tables_can_be_drawn(tmp_path):
    deltalake.DeltaTable.create(
        str(tmp_path / "t"), deltalake.Schema.from_arrow(pa.schema([("a", pa.int64())]))
    )
    plot = open_table(str(tmp_path / "t")).plot

    for figure in (
        plot.versions(),
        plot.sizes(),
        plot.partitions(),
        plot.files_read([("a", "=", 1)]),
    ):
        assert figure._repr_png_()[0].startswith(PNG)


def test_sizes_at_an_axis_are_round():
    assert [tick_text(size) for size in (0, 512, 1024, 1536)] == [
        "0 B",
        "512 B",
        "1 KiB",
        "1.5 KiB",
    ]
    assert [canvas.round_step(most) for most in (0, 3, 5000, 7 * 2**20)] == [1, 1, 1024, 2 * 2**20]


def test_a_picture_without_matplotlib_names_what_to_install(table, monkeypatch):
    canvas._figure_class.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    with pytest.raises(DeltaUnsupportedOperationError) as error:
        table.plot.sizes()

    assert error.value.condition == "PUREDELTA_PLOTS_NEED_MATPLOTLIB"
    assert 'pip install "puredelta[plots]"' in error.value.message


def test_pictures_belong_to_no_window(table):
    import matplotlib.pyplot as plt

    table.plot.sizes()

    assert plt.get_fignums() == []
