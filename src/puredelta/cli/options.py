"""Arguments and options that several commands have."""

from collections.abc import Sequence

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
limit = click.option("--limit", type=click.IntRange(min=1), help="Print at most so many.")
path = click.argument("path")
store_options = click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=lambda _context, _parameter, given: _pairs(given),
    help="What the store needs to get in, such as fs.s3a.endpoint=http://localhost:9000.",
)


def _pairs(given: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    if wrong := [name for name, sign, _ in pairs if not (name and sign)]:
        raise click.BadParameter(f"{wrong[0]!r} is not NAME=VALUE")
    return {name: value for name, _, value in pairs}
