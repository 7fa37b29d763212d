"""The examples in docstrings run, and show what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import puredelta

ROOT = Path(puredelta.__file__).parent
WITH_EXAMPLES = sorted(
    ".".join(file.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for file in ROOT.rglob("*.py")
    if ">>> " in file.read_text("utf-8")
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_show_what_they_say(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)

    assert not failed
