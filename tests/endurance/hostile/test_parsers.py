"""The parsers with random mutations of real inputs: what the fuzzer does, without its package."""

from __future__ import annotations

import random

import pytest

from tests.endurance.hostile.fuzz import real_files
from tests.endurance.hostile.mutations import mutated_bytes, mutated_lines
from tests.endurance.hostile.parsers import PARSERS, check, seeds_of
from tests.endurance.profile import chosen

_RUNS = chosen(300, 100_000)
_JSON = {"commit_lines", "schema_json", "statistics", "checksums", "hints"}


@pytest.fixture(scope="module")
def real() -> dict[str, bytes]:
    return real_files()


@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("name", PARSERS)
def test_parser_reads_or_refuses_what_was_changed(name: str, real: dict[str, bytes]) -> None:
    seeds = seeds_of(name, real)
    for data in seeds:
        check(name, data)
    for number in range(_RUNS):
        random_ = random.Random(f"{name} {number}")
        data = random_.choice(seeds)
        if name in _JSON and random_.random() < 0.5:
            data = mutated_lines(data, random_)
        else:
            data = mutated_bytes(data, random_)
        try:
            check(name, data)
        except Exception as error:
            raise AssertionError(f"run {number}: {data!r:.500}") from error
