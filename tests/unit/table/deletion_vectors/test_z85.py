"""Z85 text and bytes."""

import pytest

from puredelta.table.deletion_vectors import z85


def test_the_example_of_the_specification():
    assert z85.encode(bytes.fromhex("864fd26fb559f75b")) == "HelloWorld"
    assert z85.decode("HelloWorld") == bytes.fromhex("864fd26fb559f75b")


def test_an_incomplete_block_is_filled_with_zeros():
    assert z85.decode(z85.encode(b"abcde")) == b"abcde\0\0\0"
    assert z85.decode(z85.encode(b"abcd")) == b"abcd"
    assert z85.encode(b"") == ""


def test_of_a_block_that_is_more_than_four_bytes_the_last_four_count():
    # 85**5 - 1, less 2**32
    assert z85.decode("Hello#####") == z85.decode("Hello") + (85**5 - 1 - 2**32).to_bytes(4, "big")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Hell", "no multiple of 5"),
        ("He lo", "no characters of Z85"),
        ("Hell\u00f6", "no characters of Z85"),
    ],
)
def test_what_is_no_z85_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        z85.decode(text)
