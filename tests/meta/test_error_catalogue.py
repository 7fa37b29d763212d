"""Every error that is raised is in the catalogue with its parameters, and the other way round."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from puredelta.errors.render import catalogue, lookup

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/puredelta"
CONDITION = re.compile(r"(PURE)?DELTA_[A-Z0-9_]+(\.[A-Z0-9_]+)?")
SIDECAR = SOURCE / "engine/bridge/java/puredelta/Sidecar.java"
SETTINGS_IN_THE_ENVIRONMENT = re.compile(r"PUREDELTA_(ADAPTERS|CACHE_DIR|FSYNC|MATRIX)")


class Use(NamedTuple):
    """A call that names a condition."""

    where: str
    condition: str
    parameters: frozenset[str] | None  # None where they are not written out


def uses() -> list[Use]:
    return [
        use
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for use in uses_in(node, path)
    ]


def uses_in(call: ast.Call, path: Path) -> Iterator[Use]:
    """Find `SomeError("CONDITION", name=...)`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if not (name.endswith(("Error", "Exception")) and call.args):
        return
    first = call.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        written = {keyword.arg for keyword in call.keywords}
        parameters = None if None in written else frozenset(str(arg) for arg in written)
        if first.value.isupper():
            where = f"{path.relative_to(ROOT)}:{call.lineno}"
            yield Use(where, first.value, parameters)


def condition_literals() -> set[str]:
    return {
        node.value
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and CONDITION.fullmatch(node.value)
        and not SETTINGS_IN_THE_ENVIRONMENT.fullmatch(node.value)
    }


def reference() -> dict[str, tuple[str, frozenset[str]]]:
    lines = (Path(__file__).parent / "reference_conditions.tsv").read_text().splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {row[0]: (row[1], frozenset("".join(row[2:]).split(",")) - {""}) for row in rows}


def test_every_raised_condition_is_in_the_catalogue():
    known = catalogue()

    assert [use for use in uses() if use.condition not in known] == []
    assert condition_literals() - known.keys() == set()


def test_every_raise_gives_exactly_the_parameters_of_its_message():
    known = catalogue()

    wrong = [
        f"{use.where} {use.condition}: {sorted(use.parameters ^ known[use.condition].places)}"
        for use in uses()
        if use.condition in known
        and use.parameters is not None
        and use.parameters != known[use.condition].places
    ]

    assert wrong == []


def texts_in_java() -> dict[str, str]:
    """Return the conditions of the adapter that works while no Python does, with its text."""
    source = SIDECAR.read_text(encoding="utf-8")
    names = re.findall(r'(\w+) = "(PUREDELTA_\w+)"', source)
    # A call gives the condition first and its text last, in parts: "..." + value + "...".
    calls = {name: re.search(rf"failed\({name}, (.*?)\);", source, re.DOTALL) for name, _ in names}
    return {condition: calls[name][1] for name, condition in names if calls[name]}


def test_texts_in_java_are_those_of_the_catalogue():
    found = texts_in_java()

    assert len(found) == 2
    for condition, call in found.items():
        # What stands between the parameters has to be there in the same order.
        texts = re.split(r"\{\w+\}", lookup(condition).message.strip())
        joined = re.sub(r'"\s*\+\s*"', "", call)
        for text in texts:
            assert text.replace("\n", "\\n") in joined, (condition, text)


def test_every_condition_of_the_catalogue_is_raised_somewhere():
    named = condition_literals() | {use.condition for use in uses()} | set(texts_in_java())
    families = {name.split(".")[0] for name in catalogue() if "." in name}

    assert sorted(catalogue().keys() - named - families) == []


def test_a_condition_stands_in_one_file_only():
    names = Counter(
        name
        for path in (SOURCE / "errors/conditions").glob("*.toml")
        for name in tomllib.loads(path.read_text(encoding="utf-8"))
    )

    assert [name for name, count in names.items() if count > 1] == []


def test_every_sqlstate_has_five_characters():
    wrong = {
        name: entry.sql_state
        for name, entry in catalogue().items()
        if not re.fullmatch(r"[0-9A-Z]{5}", entry.sql_state)
    }

    assert wrong == {}


def test_conditions_of_the_reference_keep_their_sqlstate_and_parameters():
    theirs = reference()

    wrong = [
        f"{name}: {entry.sql_state}, {sorted(entry.places)}; reference: {theirs[name]}"
        for name, entry in catalogue().items()
        if name in theirs
        # We may say more or less than the reference, but what both say has one name.
        and (
            entry.sql_state != theirs[name][0]
            or not (entry.places <= theirs[name][1] or entry.places >= theirs[name][1])
        )
    ]

    assert wrong == []
