"""The parts of the tests: the gate and the rest are all, and the slices are what they say."""

from tests import parts
from tests.parts import EVERYTHING, GATE, REST, SLICES, has, in_order, seeds


class Item:
    """A test as pytest collects it, as far as parts look at it."""

    def __init__(self, nodeid, *, is_rest=False, fixtures=()):
        self.nodeid = nodeid
        self.fixturenames = fixtures
        self._is_rest = is_rest

    def get_closest_marker(self, name):
        return name if name == "rest" and self._is_rest else None


UNIT = Item("tests/unit/test_a.py::test_a")
SPARK = Item("tests/spark/test_b.py::test_b")
SCENARIO = Item("tests/parity/test_parity.py::test_scenario[insert-rows]")
KILL = Item("tests/faults/test_c.py::test_c[2]", is_rest=True)
REFERENCE = Item("tests/interop/test_d.py::test_d", fixtures=("run_of_delta_spark",))
SLOW_SPARK = Item("tests/spark/test_b.py::test_slow", is_rest=True)
ALL = [UNIT, SPARK, SCENARIO, KILL, REFERENCE, SLOW_SPARK]


def of(part):
    return [item for item in ALL if has(part, item)]


def test_gate_and_rest_are_all():
    assert of(EVERYTHING) == ALL
    assert of(GATE) == [UNIT, SPARK, SCENARIO]
    assert of(REST) == [KILL, REFERENCE, SLOW_SPARK]


def test_each_test_of_spark_and_of_the_rest_is_in_one_slice():
    found = [item for part in SLICES for item in of(part)]

    assert sorted(found, key=id) == sorted(set(ALL) - {UNIT}, key=id)


def test_slices_have_about_as_much_to_do():
    times = {f"tests/spark/test_{number}.py": 10.0 * number for number in range(60)}

    slices = parts.slices_of(times)

    sums = [
        sum(took for scope, took in times.items() if slices[scope] == number)
        for number in range(len(SLICES))
    ]
    sums[-1] += parts.WITH_DELTA_SPARK
    assert max(sums) - min(sums) < 50


def test_slice_with_other_engines_is_that_of_the_newest_spark():
    assert has(SLICES[-1], REFERENCE)


def test_longest_scopes_come_first():
    recorded = {"tests/spark/test_b.py": 9.0, KILL.nodeid[:22]: 3.0}

    assert in_order(ALL, GATE, recorded)[:3] == [SPARK, SLOW_SPARK, KILL]


def test_the_gate_takes_the_first_seeds():
    few = seeds(range(4, 9), gate=2)

    assert few[:2] == [4, 5]
    assert [one.values for one in few[2:]] == [(6,), (7,), (8,)]
    assert [mark.name for one in few[2:] for mark in one.marks] == ["rest"] * 3
