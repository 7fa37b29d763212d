"""Applications that number their writes: which number counts, and when the session's is used up."""

from types import SimpleNamespace

import pytest

from puredelta.commands.app_transactions import app_actions, is_repeated, writing_app
from puredelta.commands.write_options import WriteOptions
from puredelta.settings import Settings

OPTIONS = WriteOptions(app=("of the writer", 2))


class Session:
    """A context whose session has an application and its version."""

    def __init__(self):
        self.settings = Settings(app=("of the session", 5))
        self.used_up = 0

    def use_up_app_version(self):
        self.used_up += 1


def transaction(last):
    return SimpleNamespace(read_app=lambda _name: last)


@pytest.fixture
def session():
    return Session()


def test_option_counts_before_the_session(session):
    [written] = app_actions(session, writing_app(session, OPTIONS))

    assert (written.app_id, written.version) == ("of the writer", 2)


def test_version_of_the_session_is_used_up_by_the_write_that_has_it(session):
    [written] = app_actions(session, writing_app(session, WriteOptions()))

    assert (written.app_id, written.version, session.used_up) == ("of the session", 5, 1)


def test_version_of_the_session_is_left_for_the_write_that_needs_it(session):
    app_actions(session, writing_app(session, OPTIONS))

    assert session.used_up == 0


@pytest.mark.parametrize(("last", "repeated"), [(None, False), (4, False), (5, True), (6, True)])
def test_write_that_is_left_out_uses_its_version_up(session, last, repeated):
    app = writing_app(session, WriteOptions())

    # Else the next statement would be left out as well.
    assert is_repeated(session, transaction(last), app) == repeated
    assert session.used_up == int(repeated)


def test_write_without_a_number_is_never_repeated(session):
    assert not is_repeated(session, transaction(9), None)
    assert app_actions(session, None) == []
