"""What is printed reaches a person or a program: width, colours, and the pager for long output."""

import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import chain

import click
from rich.console import Console, RenderableType

NO_PAGER = "puredelta.no_pager"

_DUMB = ("dumb", "unknown")


def is_terminal() -> bool:
    """Say whether a person reads what is printed."""
    return sys.stdout.isatty()


def width() -> int | None:
    """Return how many columns the terminal has; None where the output goes to a program."""
    return shutil.get_terminal_size().columns if is_terminal() else None


def has_colours() -> bool:
    """Say whether text may have colours and weight: on a terminal, unless NO_COLOR is set."""
    # https://no-color.org: any value but the empty one.
    allowed = not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in _DUMB
    return is_terminal() and allowed


def bold(text: str) -> str:
    """Make a text bold where that can be seen."""
    return click.style(text, bold=True) if has_colours() else text


def rendered(what: RenderableType, columns: int) -> str:
    """Return what rich makes of tables and styled text.

    Args:
        what: The table or the text.
        columns: How many columns it may have.
    """
    console = Console(
        file=io.StringIO(),
        width=columns,
        highlight=False,
        force_terminal=has_colours(),
        color_system="standard" if has_colours() else None,
        legacy_windows=False,
    )
    with console.capture() as captured:
        console.print(what)
    # Rich fills cells up with blanks, the last ones as well.
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def show(pieces: Iterable[str]) -> None:
    """Print text piece by piece; on a terminal that it does not fit on, in a pager.

    The pager is that of the environment (PAGER, otherwise less or more). `--no-pager` turns it off.

    Args:
        pieces: The text; each piece ends with a line.
    """
    pieces = iter(pieces)
    if not is_terminal() or _is_pager_off():
        for piece in pieces:
            click.echo(piece, nl=False)
        return
    first, has_more = _screenful(pieces)
    if has_more:
        click.echo_via_pager(chain(first, pieces))
    else:
        click.echo("".join(first), nl=False)


def _screenful(pieces: Iterator[str]) -> tuple[list[str], bool]:
    """Take pieces until they do not fit on the screen any more."""
    # The next prompt takes a line as well.
    size = shutil.get_terminal_size()
    left = size.lines - 1
    taken = []
    for piece in pieces:
        taken.append(piece)
        left -= sum(_height(line, size.columns) for line in piece.splitlines())
        if left < 0:
            return taken, True
    return taken, False


def _height(line: str, columns: int) -> int:
    return max(1, -(-len(click.unstyle(line)) // columns))


def _is_pager_off() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(NO_PAGER))
