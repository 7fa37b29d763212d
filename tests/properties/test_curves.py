"""Space-filling curves: each point has a key of its own, and neighbours stay neighbours."""

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from puredelta.table.clustering.hilbert import hilbert_key
from puredelta.table.clustering.z_order import z_order_key

shapes = st.sampled_from([(1, 6), (2, 1), (2, 4), (3, 1), (3, 3), (4, 2), (5, 1), (5, 2)])


@given(shapes)
def test_keys_are_bijective(shape):
    columns, bits = shape
    points = list(product(range(1 << bits), repeat=columns))
    every_key = list(range(len(points)))

    assert sorted(hilbert_key(point, bits) for point in points) == every_key
    assert sorted(z_order_key(point, bits) for point in points) == every_key


@given(shapes)
def test_next_point_of_the_hilbert_curve_differs_in_one_column_by_one(shape):
    columns, bits = shape
    points = product(range(1 << bits), repeat=columns)
    curve = sorted(points, key=lambda point: hilbert_key(point, bits))

    for point, after in pairwise(curve):
        assert sum(abs(x - y) for x, y in zip(point, after, strict=True)) == 1


@given(st.lists(st.integers(0, 1023), min_size=1, max_size=7), st.data())
def test_z_order_keeps_the_order_of_a_single_column(point, data):
    place = data.draw(st.integers(0, len(point) - 1))
    other = [*point]
    other[place] = data.draw(st.integers(0, 1023))

    keys = z_order_key(point, 10), z_order_key(other, 10)

    assert (keys[0] < keys[1]) == (point[place] < other[place])


@given(st.integers(0, 1023), st.integers(0, 1023))
def test_keys_of_a_single_column_are_its_ids(number, other):
    assert z_order_key([number], 10) == number
    assert (hilbert_key([number], 10) < hilbert_key([other], 10)) == (number < other)
