"""What a session holds stays level, however many statements it ran."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.endurance.profile import IS_LONG, chosen

STATEMENTS = chosen(250, 10_000)

# By so much a count may grow at first: Spark starts the threads of its pools when it needs them,
# and 64 sessions of streams are kept, with their settings. Later on nothing may grow. Memory is as
# large as the garbage collector and the allocator like it, and is judged over a long life only.
COUNTED = {
    "Python's threads": 5,
    "JVM's threads": 200,
    "Python's files and sockets": 5,
    "JVM's files and sockets": 20,
    "JVM's objects kept for Python": 140,
    "Python's objects kept for the JVM": 2,
}
MOST_MEMORY = {"Python, MB": 2.0, "JVM's heap, MB": 2.0}


@pytest.fixture(scope="module")
def samples():
    """What a session held, from the end of its warm-up on."""
    command = [sys.executable, "-m", "tests.endurance.long_life.session", str(STATEMENTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(found) > 1
    return found


def slope(samples, name):
    """By how much something grows in a thousand statements."""
    later = samples[len(samples) // 2 :] if IS_LONG else samples
    numbers = [sample["statements"] for sample in later]
    return np.polyfit(numbers, [sample[name] for sample in later], 1)[0] * 1000


@pytest.mark.timeout(chosen(300, 7200))
@pytest.mark.parametrize("name", COUNTED)
def test_count_stays_level(samples, name):
    first, last = samples[0][name], samples[-1][name]

    assert last <= first + COUNTED[name], [sample[name] for sample in samples]
    assert not IS_LONG or abs(slope(samples, name)) < 1


@pytest.mark.skipif(not IS_LONG, reason="only a long life says it: PUREDELTA_ENDURANCE=long")
@pytest.mark.parametrize("name", MOST_MEMORY)
def test_memory_stays_level(samples, name):
    assert slope(samples, name) < MOST_MEMORY[name], [round(sample[name]) for sample in samples]
