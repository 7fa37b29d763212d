"""The name of the cached jar: it follows from every character of the sources."""

import pytest

from puredelta.engine.bridge import compiler
from puredelta.engine.bridge.compiler import digest_of


def test_digest_of_equal_sources_is_equal():
    assert digest_of({"A": "class A {}"}) == digest_of({"A": "class A {}"})


@pytest.mark.parametrize(
    "others",
    [
        {"A": "class B {}"},
        {"B": "class A {}"},
        {"A": "class A {}", "B": ""},
        {"A": "", "class A": " {}"},
    ],
    ids=["other text", "other path", "one more", "split at another place"],
)
def test_digest_of_other_sources_is_another(others):
    assert digest_of({"A": "class A {}"}) != digest_of(others)


def test_sources_are_those_of_the_package():
    found = compiler.sources()

    assert "puredelta/Bridge.java" in found
    assert all(text for text in found.values())
