"""Writes docs/reference/errors.md: a heading for each error condition, to which errors link.

The page is made from `src/puredelta/errors/conditions/*.toml`, from the code that raises the
conditions, and from `tools/error_advice.toml`:

    PYTHONPATH=src python tools/error_page.py

`tests/docs/test_error_page.py` fails while the page is not what this tool would write.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from puredelta.errors.render import ConditionText, catalogue

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/puredelta"
DOCS = ROOT / "docs"
PAGE = DOCS / "reference/errors.md"

_START = "<!-- written by tools/error_page.py from here on -->"

# Sentences that begin so say what to do; so do those after them.
_ADVICE = re.compile(
    r"(?:Add|Alter|Ask|Call|Cast|Check|Choose|Clone|Cluster|Collect|Comment|Commit|Compute|Connect|"
    r"Convert|Copy|Correct|Create|Declare|Delete|Drop|Either|Filter|For|Generate|Get|Give|Go|If|"
    r"Insert|Install|Instead|Keep|Leave|Lengthen|Let|Limit|Make|Move|Name|Overwrite|Partition|Pass|"
    r"Please|Put|Read|Rebind|Remove|Rename|Repair|Replace|Restore|Rewrite|Round|Run|Say|See|Select|"
    r"Separate|Set|Shorten|Start|Stop|Supply|Take|To|Try|Turn|Update|Upgrade|Use|Wait|Write)\b"
)
# A sentence ends before a capital letter, and not behind "ALTER TABLE ...".
_SENTENCE = re.compile(r"(?<=[^.][.!?])\s+(?=[A-Z`'({])|\n+")

# The classes below the engine, and what users of Spark catch in their place.
_OTHER_NAMES = {
    "DeltaInvalidProtocolVersionError": "InvalidProtocolVersionException",
}


def write_page() -> None:
    """Write the generated part of the page anew; the part above it is written by hand."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(_START)] + generated_part(), encoding="utf-8")


def generated_part() -> str:
    """Return all that stands from the mark on."""
    classes, pages = classes_that_raise(), pages_that_mention()
    sections = (
        _section(name, entry, classes.get(name, set()), pages.get(name, []))
        for name, entry in sorted(catalogue().items())
        if entry.message
    )
    return _START + "\n\n" + "\n".join(sections)


def is_up_to_date() -> bool:
    """Say whether the page is what this tool would write."""
    text = PAGE.read_text(encoding="utf-8")
    return text[text.index(_START) :] == generated_part()


def _section(name: str, entry: ConditionText, classes: set[str], pages: list[Path]) -> str:
    problem, advice = split_advice(entry.message)
    advice = advice or advice_of(name)
    facts = [f"SQLSTATE `{entry.sql_state}`"]
    if classes:
        facts.append("raised as " + ", ".join(f"`{name}`" for name in sorted(classes)))
    if entry.places:
        facts.append("parameters " + ", ".join(f"`{name}`" for name in sorted(entry.places)))
    lines = [f"### {name}", "", _prose(problem), ""]
    if advice:
        lines += [f"**What to do:** {_prose(advice)}", ""]
    lines += [" · ".join(facts), ""]
    if pages:
        lines += ["See " + ", ".join(_link(page) for page in pages) + ".", ""]
    return "\n".join(lines)


def advice_of(name: str) -> str:
    """Return what `error_advice.toml` has for a condition or for its main condition."""
    return str(_advice().get(name) or _advice().get(name.partition(".")[0], ""))


@cache
def _advice() -> dict[str, str]:
    advice: dict[str, str] = tomllib.loads(
        (ROOT / "tools/error_advice.toml").read_text(encoding="utf-8")
    )
    return advice


def conditions_without_advice() -> list[str]:
    """Return the conditions for which the page would not say what to do."""
    return [
        name
        for name, entry in sorted(catalogue().items())
        if not split_advice(entry.message)[1] and not advice_of(name)
    ]


def split_advice(message: str) -> tuple[str, str]:
    """Split a text into what is wrong and what to do."""
    parts = [part.strip() for part in _SENTENCE.split(message) if part.strip()]
    for number, part in enumerate(parts[1:], 1):
        if _ADVICE.match(part):
            return " ".join(parts[:number]), " ".join(parts[number:])
    return " ".join(parts), ""


def _prose(text: str) -> str:
    # Code and links stay as they are; elsewhere Markdown must not read anything into the text.
    pieces = re.split(r"(`[^`]*`|\[[^\]]*\]\([^)]*\.md[^)]*\))", text)
    return "".join(piece if number % 2 else _plain(piece) for number, piece in enumerate(pieces))


def _plain(piece: str) -> str:
    return re.sub(r"([*_<>\[\]|~])", r"\\\1", piece)


def classes_that_raise() -> dict[str, set[str]]:
    """Return the names of the exceptions with which the code raises each condition."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                for condition, name in _raised(call):
                    found[condition].add(name)
    return found


def _raised(call: ast.Call) -> Iterator[tuple[str, str]]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first = call.args[0] if call.args else None
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return
    if first.value in catalogue() and name.endswith(("Error", "Exception")):
        yield (
            first.value,
            _OTHER_NAMES.get(
                name, name.removesuffix("Error") + "Exception" if name.endswith("Error") else name
            ),
        )


def pages_that_mention() -> dict[str, list[Path]]:
    """Return the pages of the documentation that name each condition."""
    found: dict[str, list[Path]] = defaultdict(list)
    for page in sorted(DOCS.rglob("*.md")):
        if page == PAGE or page.parent.name == "decisions":
            continue
        words = set(re.findall(r"[A-Z][A-Z_]+(?:\.[A-Z_]+)?", page.read_text(encoding="utf-8")))
        for name in words & catalogue().keys():
            found[name].append(page)
    return found


def _link(page: Path) -> str:
    title = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert title, page
    path = Path("..") / page.relative_to(DOCS)
    return f"[{title[1]}]({path.as_posix()})"


if __name__ == "__main__":
    write_page()
