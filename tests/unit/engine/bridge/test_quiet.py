"""py4j's messages about our callbacks are left out of the user's log; all others stay."""

import logging
from types import SimpleNamespace

import pytest

from puredelta.engine.bridge.quiet import leave_out_calls_of

OURS, THEIRS = object(), object()


@pytest.fixture
def logger(caplog):
    pool = SimpleNamespace(dict={"p7": OURS, "p8": THEIRS})
    gateway = SimpleNamespace(gateway_property=SimpleNamespace(pool=pool))
    leave_out_calls_of(gateway, OURS)
    caplog.set_level(logging.INFO)
    return logging.getLogger("py4j.clientserver")


def test_calls_of_ours_are_left_out(logger, caplog):
    logger.info("Received command c on object id p7")
    logger.info("Python Server ready to receive messages")
    logger.info("Received command c on object id p8")
    logger.warning("Received command c on object id p7")

    assert [(one.levelname, one.message[-2:]) for one in caplog.records] == [
        ("INFO", "p8"),
        ("WARNING", "p7"),
    ]


def test_all_is_logged_at_debug(logger, caplog):
    caplog.set_level(logging.DEBUG)
    logger.info("Received command c on object id p7")

    assert len(caplog.records) == 1
