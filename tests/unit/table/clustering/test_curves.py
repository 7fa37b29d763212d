"""Keys of the Z-order and Hilbert curves: values that any implementation must give."""

import pytest

from puredelta.table.clustering.hilbert import hilbert_key, hilbert_steps, states
from puredelta.table.clustering.z_order import id_bits, key_words, spread, word_shifts, z_order_key


@pytest.mark.parametrize(
    ("point", "key"),
    [
        ((0, 0), 0),
        ((1, 0), 1),
        ((1, 1), 2),
        ((0, 1), 3),
        ((5, 7), 44),
        ((1000, 3), 1048271),
        ((1, 2, 3), 32),
        ((1000, 0, 500), 939532134),
    ],
)
def test_hilbert_keys_are_those_of_other_engines(point, key):
    assert hilbert_key(point, 10) == key


@pytest.mark.parametrize("columns", [2, 3, 4, 5])
@pytest.mark.parametrize("bits", [1, 3, 10])
def test_tables_of_steps_give_the_same_hilbert_keys(columns, bits):
    top = (1 << bits) - 1
    points = [
        tuple(number * place % (top + 1) for place in range(1, columns + 1))
        for number in range(0, top + 1, max(1, top // 40))
    ]

    for point in points:
        assert _by_steps(point, bits) == hilbert_key(point, bits)


def _by_steps(point, bits):
    columns, state, key, rest = len(point), 0, 0, bits
    corners = z_order_key(point, bits)
    for step in hilbert_steps(columns, bits):
        rest -= step.bits
        mask = (1 << columns * step.bits) - 1
        size = columns * step.bits
        found = step.table[state << size | (corners >> columns * rest & mask)]
        state, key = found >> size, key << size | (found & mask)
    return key


def test_tables_of_many_columns_are_too_large():
    assert hilbert_steps(9, 10) is None


def test_state_machine_of_one_column_has_one_state():
    assert len(states(1)) == 1
    assert hilbert_key((5,), 10) == 5


def test_z_order_takes_bits_in_turn_from_the_top():
    assert z_order_key((0b10, 0b01), 2) == 0b1001
    assert z_order_key((0b1, 0b0, 0b1), 1) == 0b101
    assert spread(0b11, 2, column=1, columns=3) == 0b010010


def test_bits_are_enough_for_the_number_of_ranges():
    assert [id_bits(ranges) for ranges in (2, 255, 256, 1000, 1024)] == [2, 8, 9, 10, 11]


def test_words_of_a_long_key_compare_as_the_key():
    keys = [0, 1, (1 << 62) - 1, 1 << 62, (1 << 99) + 7]

    assert sorted(keys, key=lambda key: key_words(key, 100)) == keys
    assert word_shifts(62) == [0]
    assert word_shifts(63) == [62, 0]
