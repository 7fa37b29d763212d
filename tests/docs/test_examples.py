"""The code blocks of README and docs run, page by page, in the order in which they stand."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|sql)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    language: str
    text: str


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(text.count("\n", 0, found.start()) + 2, found[1], found[2])
        for found in BLOCK.finditer(text)
    ]


PAGES_WITH_CODE = [page for page in PAGES if blocks_of(page)]


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
def test_blocks_of_a_page_run_in_order(page, spark, clean_catalog, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    names = {"spark": spark, "__name__": "__page__"}

    for block in blocks_of(page):
        # Pages use /tmp as readers would; the tests keep to their own folder.
        text = block.text.replace("/tmp/", f"{tmp_path}/")
        if block.language == "sql":
            for statement in filter(str.strip, text.split(";")):
                spark.sql(statement).collect()
        else:
            # The line numbers of a failure are those of the page.
            source = "\n" * (block.line - 1) + text
            exec(compile(source, str(page), "exec"), names)


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
