"""Turn the fragments of changelog.d into a section of CHANGELOG.md.

    release_notes.py                    print the section of the next release
    release_notes.py --write 0.2.0      insert it into CHANGELOG.md and delete the fragments
    release_notes.py --released 0.2.0   print the section of a release that CHANGELOG.md has

A fragment is named `<issue>.<kind>.md` or `<issue>.<word>.<kind>.md`; the word distinguishes
fragments of one issue. `summary.md`, if there is one, is what a release is about, and comes first.
See changelog.d/README.md.
"""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"
FRAGMENTS = ROOT / "changelog.d"
README = "README.md"
SUMMARY = "summary.md"

KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
"""The kinds of changes and their headings, in the order of a section."""

COLUMNS = 100
ISSUES = "https://github.com/puredelta/puredelta/issues"

_NAME = re.compile(rf"(?P<issue>[0-9]+)\.(?:(?P<word>[^/]+)\.)?(?P<kind>{'|'.join(KINDS)})\.md")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(?:(?:a|b|rc)[0-9]+)?")


class BadFragmentsError(Exception):
    """Fragments that cannot become release notes; the message lists all of them."""


@dataclass(frozen=True, order=True)
class Fragment:
    """One change.

    Attributes:
        issue: The number of the issue.
        word: Distinguishes fragments of one issue and kind; empty for none.
        kind: A key of `KINDS`.
        text: The change in one or more sentences, as Markdown.
    """

    issue: int
    word: str
    kind: str
    text: str


def parse_name(name: str) -> tuple[int, str, str] | None:
    """Return issue, word and kind of a file name; None for a name without them.

    >>> parse_name("21.pyspark-4.0.fixed.md")
    (21, 'pyspark-4.0', 'fixed')
    >>> parse_name("4.added.md")
    (4, '', 'added')
    >>> parse_name("4.improved.md") is None
    True
    """
    match = _NAME.fullmatch(name)
    return None if match is None else (int(match["issue"]), match["word"] or "", match["kind"])


def read_fragments(folder: Path) -> list[Fragment]:
    """Read all fragments, ordered by issue and word.

    Args:
        folder: Contains nothing but fragments, a README, and a summary.

    Raises:
        BadFragmentsError: A file has a name of another form, or no text.
    """
    fragments, problems = [], []
    for file in sorted(folder.iterdir()):
        if file.name in {README, SUMMARY}:
            continue
        parts, text = parse_name(file.name), file.read_text("utf-8").strip()
        if parts is None:
            problems.append(f"{file.name}: expected <issue>[.<word>].<{'|'.join(KINDS)}>.md")
        elif not text:
            problems.append(f"{file.name}: no text")
        else:
            issue, word, kind = parts
            fragments.append(Fragment(issue, word, kind, text))
    if problems:
        raise BadFragmentsError("\n".join(problems))
    return sorted(fragments)


def read_summary(folder: Path) -> str:
    """Return what a release is about, in the words of `summary.md`; empty without one."""
    file = folder / SUMMARY
    return file.read_text("utf-8").strip() if file.is_file() else ""


def render(fragments: Iterable[Fragment], title: str, summary: str = "") -> str:
    """Return a section of CHANGELOG.md: a heading, a summary, and a list for each kind of change.

    >>> print(render([Fragment(4, "", "fixed", "Reads work.")], "0.2.0"))
    ## 0.2.0
    <BLANKLINE>
    ### Fixed
    <BLANKLINE>
    - Reads work. ([#4](https://github.com/puredelta/puredelta/issues/4))
    <BLANKLINE>
    """
    known = list(fragments)
    blocks = [f"## {title}", *filter(None, [summary])]
    for kind, heading in KINDS.items():
        items = [_item(fragment) for fragment in known if fragment.kind == kind]
        if items:
            blocks += [f"### {heading}", "\n".join(items)]
    return "\n\n".join(blocks) + "\n"


def _item(fragment: Fragment) -> str:
    """Return a list item: paragraphs are filled, other blocks keep their lines."""
    link = f"([#{fragment.issue}]({ISSUES}/{fragment.issue}))"
    blocks = re.split(r"\n{2,}", f"{fragment.text} {link}")
    laid_out = [
        block if block.startswith(("- ", "* ", "|", "```")) else _fill(block) for block in blocks
    ]
    return "- " + textwrap.indent("\n\n".join(laid_out), "  ").lstrip()


def _fill(paragraph: str) -> str:
    words = paragraph.replace("\n", " ")
    return textwrap.fill(words, COLUMNS - 2, break_long_words=False, break_on_hyphens=False)


def insert(changelog: str, section: str) -> str:
    r"""Return the text of CHANGELOG.md with a section in front of those of older releases.

    >>> insert("# Changes\n\n## 0.1.0\n", "## 0.2.0\n")
    '# Changes\n\n## 0.2.0\n\n## 0.1.0\n'
    """
    introduction, heading, older = changelog.partition("\n## ")
    parts = [introduction.rstrip("\n"), section.rstrip("\n")]
    if heading:
        parts.append("## " + older.rstrip("\n"))
    return "\n\n".join(parts) + "\n"


def section_of(changelog: str, version: str) -> str | None:
    r"""Return the section of a release, without its heading; None when it has none.

    >>> section_of("# Changes\n\n## 0.2.0 (2026-01-05)\n\nNew.\n\n## 0.1.0\n", "0.2.0")
    'New.\n'
    """
    for section in changelog.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        if title.partition(" ")[0] == version:
            return body.strip("\n") + "\n"
    return None


def write(fragments: Sequence[Fragment], version: str, today: str) -> None:
    """Insert the section of a release into CHANGELOG.md, and delete the fragments.

    Args:
        fragments: What has changed.
        version: The version that is released.
        today: The date of the release, as YYYY-MM-DD.
    """
    changelog = CHANGELOG.read_text("utf-8")
    section = render(fragments, f"{version} ({today})", read_summary(FRAGMENTS))
    CHANGELOG.write_text(insert(changelog, section), "utf-8")
    for file in FRAGMENTS.iterdir():
        if file.name != README:
            file.unlink()


def main() -> str | None:
    """Print or write release notes; return what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--write", metavar="VERSION", help="change CHANGELOG.md")
    chosen.add_argument("--released", metavar="VERSION", help="print what CHANGELOG.md has")
    arguments = parser.parse_args()
    version: str | None = arguments.write or arguments.released
    if version is not None and not _VERSION.fullmatch(version):
        return f"not a version: {version}"
    changelog = CHANGELOG.read_text("utf-8")
    released = None if version is None else section_of(changelog, version)
    if arguments.released:
        if released is None:
            return f"{CHANGELOG.name} has no section for {version}"
        print(released, end="")
        return None
    try:
        fragments = read_fragments(FRAGMENTS)
    except BadFragmentsError as error:
        return str(error)
    if version is None:
        print(render(fragments, "Unreleased", read_summary(FRAGMENTS)), end="")
        return None
    if released is not None:
        return f"{CHANGELOG.name} has a section for {version} already"
    if not fragments:
        return f"no fragments in {FRAGMENTS.name}"
    write(fragments, version, datetime.now(timezone.utc).date().isoformat())
    return None


if __name__ == "__main__":
    sys.exit(main())
