"""Statements that need no Spark, killed at calls of the system and at requests to a store."""

import contextlib

import pytest

from tests.endurance.kills.interposer import Interposer
from tests.endurance.kills.object_server import ObjectServer
from tests.endurance.kills.places import LocalPlace, ObjectPlace
from tests.endurance.kills.plain_cases import CASES
from tests.endurance.kills.plain_children import children
from tests.endurance.kills.plain_trials import try_case
from tests.endurance.profile import IS_LONG
from tests.parts import rest

KILLS = 24 if IS_LONG else 5
IN_STORES = [name for name, case in CASES.items() if not case.is_local]
# The gate takes those with the most steps.
GATE = ("append with V2 checkpoint", "overwrite", "log cleanup", "convert")
GATE_IN_STORES = ("append with checkpoint",)


def those_of_the_gate_first(names, gate):
    return [*gate, *(rest(name) for name in names if name not in gate)]


@pytest.fixture(scope="module")
def interposer(tmp_path_factory):
    return Interposer(tmp_path_factory.mktemp("interposer"))


@pytest.fixture(scope="module")
def processes(interposer):
    with children(interposer.variables()) as found:
        yield found


@pytest.mark.timeout(30 + 3 * KILLS)
@pytest.mark.parametrize("name", those_of_the_gate_first(CASES, GATE))
def test_statement_on_a_folder_happens_as_a_whole_or_not_at_all(
    interposer, processes, tmp_path, name
):
    tally = try_case(interposer, processes, name, LocalPlace(tmp_path / "table"), KILLS)

    print(f"{name}: {tally}")
    assert tally.kept == []


@pytest.mark.timeout(30 + 3 * KILLS)
@pytest.mark.parametrize("name", those_of_the_gate_first(IN_STORES, GATE_IN_STORES))
def test_statement_in_an_object_store_happens_as_a_whole_or_not_at_all(interposer, processes, name):
    with contextlib.closing(ObjectServer()) as server:
        tally = try_case(interposer, processes, name, ObjectPlace(server, "table"), KILLS)

    print(f"{name} in a store: {tally}")
    assert tally.kept == []
