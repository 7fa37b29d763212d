"""The code blocks of README and docs run, page by page, and print what the page shows under them.

`PUREDELTA_WRITE_OUTPUTS=1 pytest tests/docs` writes the outputs into the pages.
"""

import os
import sys
from collections.abc import Iterator

import pytest

from tests.docs.pages import (
    PAGES,
    ROOT,
    blocks_of,
    check_outputs,
    is_like,
    run_block,
    write_outputs,
)

PAGES_WITH_CODE = [page for page in PAGES if blocks_of(page)]
HOW_TO_MEND = "PUREDELTA_WRITE_OUTPUTS=1 pytest tests/docs writes outputs into the pages"


@pytest.fixture
def clean_catalog(spark) -> Iterator[None]:
    """Leave no table of a page to the next one, nor the name `delta` to other tests."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.split(".")[0] == "delta":
            del sys.modules[name]
    for table in spark.catalog.listTables():
        kind = "VIEW" if table.tableType == "TEMPORARY" else "TABLE"
        spark.sql(f"DROP {kind} IF EXISTS `{table.name}`")


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_of_a_page_run_in_order(page, spark, clean_catalog, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"spark": spark, "__name__": "__page__"}

    outputs = [(block, run_block(page, block, tmp_path, names)) for block in blocks_of(page)]

    if os.environ.get("PUREDELTA_WRITE_OUTPUTS"):
        write_outputs(page, outputs)
    else:
        assert check_outputs(page, outputs) == [], HOW_TO_MEND


def test_snippet_of_the_readme_runs_twice(spark, clean_catalog, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = ROOT / "README.md"

    for _ in range(2):
        names = {"spark": spark, "__name__": "__page__"}
        outputs = [run_block(readme, block, tmp_path, names) for block in blocks_of(readme)]

    assert any("Bob" in output for output in outputs)


@pytest.mark.parametrize(
    ("shown", "output"),
    [
        ("|id|\n| 1|", "|id |\n|1  |"),
        ("+---+\n|  1|\n|  2|", "+----+\n|   2|\n|   1|"),
        ("part-00000-...parquet", "part-00000-c8f1.c000.snappy.parquet"),
        ("4.9 KiB at 2026-01-01 10:00:00", "5.1 KiB at 2027-02-03 11:12:13.456"),
    ],
)
def test_outputs_are_alike_whatever_differs_from_run_to_run(shown, output):
    assert is_like(shown, output)


@pytest.mark.parametrize(
    ("shown", "output"), [("", "1"), ("1", "2"), ("|a|\n|b|", "|a|"), ("1 ... 3", "1 2 4")]
)
def test_outputs_with_other_values_are_not_alike(shown, output):
    assert not is_like(shown, output)


def test_every_page_of_the_documentation_is_in_its_index():
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")

    missing = [
        str(page.relative_to(ROOT / "docs"))
        for page in (ROOT / "docs").rglob("*.md")
        if str(page.relative_to(ROOT / "docs")) not in listed
    ]

    assert missing == []


def test_every_setting_is_documented():
    from puredelta import settings

    page = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")

    assert [one.key for one in settings.SETTINGS.values() if f"`{one.key}`" not in page] == []
