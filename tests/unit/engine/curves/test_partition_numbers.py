"""Numbers that a hash shuffle sends to a chosen partition each."""

import pytest

from puredelta.engine.curves.partition_numbers import hash_of_int, numbers_of_partitions


def test_hash_is_the_one_of_spark():
    # SELECT hash(CAST(id AS INT)) FROM range(4)
    assert [hash_of_int(value) for value in range(4)] == [
        933211791,
        -559580957,
        1765031574,
        -1823081949,
    ]


@pytest.mark.parametrize("partitions", [1, 2, 7, 100])
def test_each_partition_has_a_number(partitions):
    found = numbers_of_partitions(partitions)

    assert [hash_of_int(number) % partitions for number in found] == list(range(partitions))
