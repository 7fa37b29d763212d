"""The comparison of the parity suite is strict where it should be and lenient where it may."""

from __future__ import annotations

import pytest

from tests.parity.compare import Difference, problems, same_error


@pytest.mark.parametrize(
    ("their", "our", "equal"),
    [
        ("AnalysisException A 42", "AnalysisException A 42", True),
        ("AnalysisException A 42", "AnalysisException B 42", False),
        ("AnalysisException A 42", "ParseException A 42", False),
        ("AnalysisException A -", "AnalysisException A 42", True),
        ("AnalysisException - -", "AnalysisException A 42", True),
        ("AnalysisException _LEGACY_ERROR_TEMP_1 -", "AnalysisException A 42", True),
        ("Py4JJavaError A 42", "SparkRuntimeException A 42", True),
        ("Py4JJavaError DELTA_A 42", "Py4JJavaError DELTA_A 42", False),
        ("Py4JJavaError SPARKS_OWN 42", "Py4JJavaError SPARKS_OWN 42", True),
    ],
)
def test_errors_are_equal_where_theirs_says_something(their: str, our: str, equal: bool) -> None:
    assert same_error(their, our) is equal


@pytest.mark.parametrize("quote", ['"', '\\"'])
@pytest.mark.parametrize(("other", "differs"), [("1", False), ("3", True)])
def test_metadata_of_a_column_has_no_order(quote: str, other: str, differs: bool) -> None:
    their, our = ('[{"metadata":{"a":1,"b":[2]}}]', f'[{{"metadata":{{"b":[2],"a":{other}}}}}]')
    shown = [{"step": "a", "rows": [text.replace('"', quote)]} for text in (their, our)]

    assert bool(problems(shown[:1], shown[1:], [])) is differs


def test_undeclared_difference_is_a_problem() -> None:
    found = problems([{"step": "a", "rows": ["1"]}], [{"step": "a", "rows": ["2"]}], [])

    assert len(found) == 1


def test_declared_difference_is_none_unless_ours_changed() -> None:
    declared = Difference("m::c", "better", "because", ours={"a": {"rows": ["2"]}})

    as_told = problems([{"step": "a", "rows": []}], [{"step": "a", "rows": ["2"]}], [declared])
    changed = problems([{"step": "a", "rows": []}], [{"step": "a", "rows": ["3"]}], [declared])

    assert not as_told
    assert changed


def test_declared_difference_that_vanished_is_a_problem() -> None:
    declared = Difference("m::c", "gap", "because", steps=("a",))

    assert problems([{"step": "a", "ok": "done"}], [{"step": "a", "ok": "done"}], [declared])


def test_missing_step_is_a_problem() -> None:
    assert problems([{"step": "a", "ok": "done"}], [], [])


@pytest.mark.parametrize(
    ("running", "since", "before", "applies"),
    [
        ("4.1.4", None, "4.2", True),
        ("4.2.0", None, "4.2", False),
        ("4.1.0", "4.1", "4.2", True),
        ("4.0.5", "4.1", "4.2", False),
        ("4.3.0", "4.1", None, True),
    ],
)
def test_difference_of_some_sparks_applies_to_these_alone(
    monkeypatch: pytest.MonkeyPatch,
    running: str,
    since: str | None,
    before: str | None,
    applies: bool,
) -> None:
    monkeypatch.setattr("pyspark.__version__", running)

    declared = Difference("m::c", "spark", "because", since=since, before=before)

    assert declared.applies is applies
