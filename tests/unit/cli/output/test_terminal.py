"""Colours and the pager are for people at a terminal."""

import os

import click
import pytest
from click.testing import CliRunner
from rich.text import Text

from puredelta.cli.options import no_pager
from puredelta.cli.output import terminal


@pytest.fixture
def at_terminal(monkeypatch):
    """Print to a terminal of 80 columns and 10 lines, whose pager takes what it gets."""
    paged = []
    monkeypatch.setattr(terminal, "is_terminal", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 10)))
    monkeypatch.setattr(click, "echo_via_pager", lambda pieces: paged.append("".join(pieces)))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return paged


def numbered(count):
    return [f"{n}\n" for n in range(count)]


def test_long_output_goes_to_the_pager(at_terminal, capsys):
    terminal.show(numbered(10))

    assert at_terminal == ["".join(numbered(10))]
    assert capsys.readouterr().out == ""


def test_output_that_fits_does_not(at_terminal, capsys):
    terminal.show(numbered(9))

    assert at_terminal == []
    assert capsys.readouterr().out == "".join(numbered(9))


def test_line_that_the_terminal_breaks_takes_several(at_terminal):
    terminal.show(["x" * 900 + "\n"])

    assert len(at_terminal) == 1


def test_pager_gets_pieces_as_they_come(monkeypatch, at_terminal):
    taken = []

    def pieces():
        for n in range(100):
            taken.append(n)
            yield f"{n}\n"

    monkeypatch.setattr(click, "echo_via_pager", lambda given: next(iter(given)))
    terminal.show(pieces())

    assert len(taken) == 10


def test_no_pager_prints_at_once(at_terminal):
    @click.command()
    @no_pager
    def command():
        terminal.show(numbered(50))

    assert CliRunner().invoke(command, ["--no-pager"]).stdout == "".join(numbered(50))
    CliRunner().invoke(command)
    assert len(at_terminal) == 1


def test_pipe_has_no_pager(monkeypatch, capsys):
    monkeypatch.setattr(click, "echo_via_pager", pytest.fail)

    terminal.show(numbered(500))

    assert len(capsys.readouterr().out.splitlines()) == 500


RED = Text("bad", style="bold red")


def test_colours_on_a_terminal(at_terminal):
    assert terminal.rendered(RED, 80) == "\x1b[1;31mbad\x1b[0m\n"
    assert terminal.bold("a") == "\x1b[1ma\x1b[0m"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colours_where_they_are_not_wanted(at_terminal, monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    assert terminal.rendered(RED, 80) == "bad\n"
    assert terminal.bold("a") == "a"


def test_no_colours_in_a_pipe(monkeypatch):
    monkeypatch.setattr(terminal, "is_terminal", lambda: False)

    assert terminal.rendered(RED, 80) == "bad\n"
