"""Progress is shown to who wants to see it, after a second, and never in the way of the work."""

import io
import sys
from types import SimpleNamespace

import pytest

from puredelta._util import progress as module
from puredelta._util.progress import AUTO, OFF, ON, ask_mode, is_wanted, progress, track
from puredelta._util.progress_display import has_viewer


class Clock:
    """The time, which stands still unless it is told to go on."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("time.monotonic", clock.monotonic)
    return clock


class Screen(io.StringIO):
    """Standard error, a terminal or not."""

    def __init__(self, *, terminal: bool):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.fixture
def log(capsys):
    """What was written to standard error, which is no terminal."""
    return lambda: capsys.readouterr().err


@pytest.fixture
def mode(monkeypatch):
    monkeypatch.setattr(module._Ambient, "ask", module._Ambient.ask)
    return ask_mode


def test_nothing_is_shown_unless_someone_at_the_top_says_so(clock, log):
    for _ in track(range(3), "working"):
        clock.now += 10

    assert log() == ""


def test_short_work_is_not_even_asked_about(clock, log, mode):
    mode(lambda: pytest.fail("nobody needs to know"))

    for _ in track(range(9), "working"):
        clock.now += 0.1

    assert log() == ""


def test_lines_come_now_and_then_and_in_the_end(clock, log, mode):
    mode(lambda: ON)

    for _ in track(range(24), "reading footers", 24):
        clock.now += 0.5

    assert log().splitlines() == [
        "reading footers: 2 of 24 files",
        "reading footers: 12 of 24 files",
        "reading footers: 22 of 24 files",
        "reading footers: 24 of 24 files",
    ]


def test_auto_shows_nothing_outside_of_terminals(clock, log, mode):
    mode(lambda: AUTO)

    with progress("working") as step:
        clock.now += 5
        step()

    assert log() == ""
    assert not is_wanted(AUTO)


def test_off_shows_nothing_in_a_terminal(clock, monkeypatch, mode):
    screen = Screen(terminal=True)
    monkeypatch.setattr(sys, "stderr", screen)
    mode(lambda: OFF)

    with progress("working") as step:
        clock.now += 5
        step()

    assert screen.getvalue() == ""


def test_bar_in_a_terminal_is_gone_in_the_end(clock, monkeypatch, mode):
    screen = Screen(terminal=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
    mode(lambda: AUTO)

    with progress("writing", unit="tasks") as step:
        clock.now += 2
        step.at(3, 4)
        clock.now += 2
        step.at(4, 4)

    assert "writing: 4 of 4 tasks" in screen.getvalue()
    # The line is erased.
    assert screen.getvalue().rstrip().endswith("\x1b[2K")


def test_notebook_shows_html_without_widgets(clock, monkeypatch, mode):
    shown = []
    handle = SimpleNamespace(update=shown.append)

    def display(html, *, display_id):
        assert display_id
        shown.append(html)
        return handle

    ipython = SimpleNamespace(
        get_ipython=lambda: SimpleNamespace(kernel=object()),
        display=SimpleNamespace(HTML=str, display=display),
    )
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    mode(lambda: AUTO)
    assert has_viewer()

    for number in track(["<a>", "b"], "reading <log>", 2):
        clock.now += 2 if number == "<a>" else 0.5

    assert shown == [
        '<progress value="1" max="2"></progress> <small>reading &lt;log&gt;: 1 of 2 files</small>',
        '<progress value="2" max="2"></progress> <small>reading &lt;log&gt;: 2 of 2 files</small>',
        "",
    ]


def test_plain_ipython_is_no_notebook(monkeypatch, log):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))

    assert not has_viewer()


def test_display_is_not_opened_for_the_last_piece(clock, log, mode):
    mode(lambda: ON)

    for _ in track(["all"], "reading", 1):
        clock.now += 9

    assert log() == ""


def test_only_one_at_a_time_is_shown(clock, log, mode):
    mode(lambda: ON)

    with progress("outer") as outer, progress("inner") as inner:
        clock.now += 2
        outer()
        inner()
    with progress("later") as later:
        clock.now += 2
        later()

    assert log() == "outer: 1 files\nlater: 1 files\n"


def test_work_goes_on_when_it_cannot_be_shown(clock, monkeypatch, mode):
    closed = Screen(terminal=False)
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    mode(lambda: ON)
    done = []

    for number in track(range(3), "working"):
        clock.now += 2
        done.append(number)

    assert done == [0, 1, 2]


def test_display_that_cannot_be_opened_leaves_the_screen_to_others(clock, log, mode, monkeypatch):
    def failing(what, unit):
        raise ImportError(what)

    mode(lambda: ON)
    with monkeypatch.context() as broken:
        broken.setattr(module, "open_display", failing)
        with progress("first") as step:
            clock.now += 2
            step()
    with progress("second") as step:
        clock.now += 2
        step()

    assert log() == "second: 1 files\n"


def test_caller_may_know_whether_it_is_shown(clock, log, mode):
    mode(lambda: OFF)

    with progress("working", mode=ON) as step:
        clock.now += 2
        step()

    assert "working: 1 files" in log()


def test_process_without_standard_error_has_no_viewer(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)

    assert not is_wanted(AUTO)
