"""Work by a few threads: in order, and over at once where it is not read to its end."""

import threading

import pytest

from puredelta._util.parallel import run_in_parallel


@pytest.mark.parametrize("at_once", [1, 3])
def test_results_come_in_the_order_of_the_items(at_once):
    found = run_in_parallel(lambda number: number * 2, range(20), threads=4, at_once=at_once)

    assert list(found) == [number * 2 for number in range(20)]


def test_what_the_work_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        list(run_in_parallel(lambda number: 1 // number, [1, 0, 1], threads=2))


def test_closing_waits_for_no_thread():
    go_on = threading.Event()

    def work(number):
        return number == 0 or go_on.wait(60)

    results = run_in_parallel(work, range(4), threads=2)
    assert next(results)
    closing = threading.Thread(target=results.close)
    closing.start()
    closing.join(10)
    is_waiting = closing.is_alive()
    go_on.set()
    closing.join()

    assert not is_waiting
