"""Each error condition has a heading in the documentation, to which its errors link."""

import re
import sys
from pathlib import Path

from puredelta.errors.render import DOCUMENTATION, catalogue, link_to
from tools import error_page

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
HOW_TO_MEND = "PYTHONPATH=src python tools/error_page.py writes the page"


def anchors() -> set[str]:
    """Return the anchors of the page's headings, as GitHub and mkdocs derive them."""
    headings = re.findall(r"^### (.*)$", error_page.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w-]", "", heading.lower()) for heading in headings}


def test_every_condition_has_the_heading_to_which_its_errors_link():
    linked = {
        link_to(name).partition("#")[2] for name, entry in catalogue().items() if entry.message
    }

    assert linked - anchors() == set(), HOW_TO_MEND
    assert anchors() - linked == set(), HOW_TO_MEND


def test_page_is_what_the_catalogue_says():
    assert error_page.is_up_to_date(), HOW_TO_MEND


def test_page_says_for_every_condition_what_to_do():
    assert error_page.conditions_without_advice() == [], "add it to tools/error_advice.toml"


def test_links_lead_to_the_documentation_that_the_package_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["urls"]["Documentation"].rpartition("/")[0] == DOCUMENTATION
    assert (
        ROOT
        / "docs"
        / link_to("DELTA_PATH_EXISTS").removeprefix(DOCUMENTATION + "/").partition("#")[0]
    ).is_file()


def test_texts_are_split_into_what_is_wrong_and_what_to_do():
    text = "There are no commits in {path}. Check the path; a table has commits. They are JSON."

    assert error_page.split_advice(text) == (
        "There are no commits in {path}.",
        "Check the path; a table has commits. They are JSON.",
    )
    assert error_page.split_advice("It failed, since a file was in the way.") == (
        "It failed, since a file was in the way.",
        "",
    )
