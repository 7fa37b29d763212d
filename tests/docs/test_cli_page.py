"""The examples on the page of the command line print what the page shows."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from puredelta.cli.main import main
from tests.docs.orders_table import write_orders

PAGE = Path(__file__).parents[2] / "docs/reference/cli.md"
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def without_sizes(text):
    """Leave out what the version of the Parquet writer changes: sizes, and the room they take."""
    text = re.sub(r"[\d.,]+ (?:B|KiB)\b|[\d.]+%|\b\d{3,4}\b(?!-)", "#", text)
    return re.sub(r" +", " ", text)


@pytest.fixture
def orders(tmp_path):
    write_orders(tmp_path / "orders")
    return tmp_path / "orders"


def test_page_has_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split("\n")[0])
def test_example_prints_what_the_page_shows(example, orders):
    shown = []
    for line in example.splitlines():
        if not line.startswith("$ "):
            continue
        shown.append(line)
        program, *arguments = shlex.split(line[2:].replace("/tmp/orders", str(orders)))
        if program == "rm":
            Path(arguments[0]).unlink()
        else:
            assert program == "puredelta"
            shown += CliRunner().invoke(main, arguments).output.splitlines()

    text = "\n".join(shown).replace(str(orders), "/tmp/orders")
    assert without_sizes(text) == without_sizes(example.rstrip("\n"))
