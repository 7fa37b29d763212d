# ruff: noqa: PT012, SIM117  # an interrupt comes between statements
"""Ctrl-C while a statement cannot be left: it waits, it is raised, it says what was committed."""

import os
import signal
import threading

import pytest

from puredelta._util import interrupts


def press():
    os.kill(os.getpid(), signal.SIGINT)
    # Python runs the handler between two instructions; by the end of this loop it has.
    for _ in range(100):
        pass


@pytest.fixture(autouse=True)
def handler():
    """Give back the handler that the test runner has."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_interrupt_is_raised_when_the_outermost_is_left():
    reached = []

    with pytest.raises(KeyboardInterrupt, match=r"^$"), interrupts.hold_back():
        with interrupts.hold_back():
            press()
        reached.append("the end")

    assert reached == ["the end"]


def test_interrupt_takes_the_place_of_the_failure_that_it_caused():
    with pytest.raises(KeyboardInterrupt) as raised, interrupts.hold_back():
        press()
        raise ValueError("job cancelled")

    assert raised.value.__suppress_context__


def test_without_interrupt_nothing_is_raised():
    with interrupts.hold_back():
        interrupts.check()
        interrupts.refuse_commit()


def test_second_interrupt_is_raised_at_once_but_not_while_a_version_is_made():
    reached = []

    with pytest.raises(KeyboardInterrupt), interrupts.hold_back():
        press()
        with interrupts.shield():
            press()
            reached.append("the version is made")
        press()
        reached.append("never")

    assert reached == ["the version is made"]


def test_commit_is_refused_each_time_and_a_check_raises_once():
    with pytest.raises(KeyboardInterrupt), interrupts.hold_back():
        press()
        with pytest.raises(interrupts.Interrupted):
            interrupts.check()
        interrupts.check()
        for _ in range(2):
            with pytest.raises(interrupts.Interrupted):
                interrupts.refuse_commit()


def test_what_was_committed_before_is_told():
    with pytest.raises(KeyboardInterrupt, match=r"version 3 of t, version 4 of t"):
        with interrupts.hold_back():
            interrupts.committed("version 3 of t")
            press()
            interrupts.committed("version 4 of t")


def test_handler_of_the_user_decides_whether_it_is_an_interrupt():
    seen = []

    def note(number, frame):
        seen.append(number)

    signal.signal(signal.SIGINT, note)
    with interrupts.hold_back():
        press()
        interrupts.refuse_commit()
    assert signal.signal(signal.SIGINT, signal.default_int_handler) is note

    assert seen == [signal.SIGINT]


def test_exception_of_the_users_handler_is_the_one_that_is_raised():
    def give_up(number, frame):
        raise TimeoutError("enough")

    signal.signal(signal.SIGINT, give_up)
    with pytest.raises(TimeoutError, match="enough"), interrupts.hold_back():
        press()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_ignored_signals_stay_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts.hold_back():
        press()
    assert signal.signal(signal.SIGINT, signal.default_int_handler) is signal.SIG_IGN


def test_thread_that_works_for_the_main_one_may_not_commit_for_it():
    outcomes = []

    def work(wait):
        with interrupts.working_for(wait):
            outcomes.append(_refusal())
        outcomes.append(_refusal())

    with pytest.raises(KeyboardInterrupt), interrupts.hold_back():
        press()
        worker = threading.Thread(target=work, args=(interrupts.current(),))
        worker.start()
        worker.join()

    assert outcomes == ["refused", "allowed"]


def _refusal():
    try:
        interrupts.refuse_commit()
    except interrupts.Interrupted:
        return "refused"
    return "allowed"


def test_interrupt_that_waits_too_long_is_raised_where_the_main_thread_is():
    with pytest.raises(KeyboardInterrupt), interrupts.hold_back():
        press()
        insisting = threading.Thread(target=interrupts.insist, args=(interrupts.current(),))
        insisting.start()
        threading.Event().wait(20)
        pytest.fail("was not raised")


def test_nobody_insists_when_the_wait_is_over():
    with interrupts.hold_back():
        wait = interrupts.current()
    wait.reason = KeyboardInterrupt()

    interrupts.insist(wait)
