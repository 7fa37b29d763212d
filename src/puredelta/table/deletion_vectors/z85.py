"""Z85: four bytes as five printable characters.

Protocol: Deletion Vector Format; the encoding is ZeroMQ's RFC 32.
"""

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_DIGITS = {char: digit for digit, char in enumerate(ALPHABET)}
_POWERS = tuple(85**power for power in range(4, -1, -1))


def encode(data: bytes) -> str:
    """Encode bytes; what is no multiple of four is filled up with zeros.

    >>> encode(bytes([0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]))
    'HelloWorld'
    """
    # Whole blocks keep their length, and others grow to the next.
    padded = data + bytes(-len(data) % 4)
    words = (int.from_bytes(padded[at : at + 4], "big") for at in range(0, len(padded), 4))
    return "".join(ALPHABET[word // power % 85] for word in words for power in _POWERS)


def decode(text: str) -> bytes:
    """Decode text, with the filling of `encode` still behind it.

    Of a block that is more than four bytes, the last four count, as for other readers.

    Raises:
        ValueError: The text has a character outside the alphabet, or a length that no bytes are
            encoded to.
    """
    if len(text) % 5:
        raise ValueError(f"its length of {len(text)} is no multiple of 5")
    if strange := set(text) - _DIGITS.keys():
        raise ValueError(f"{sorted(strange)} are no characters of Z85")
    blocks = (text[at : at + 5] for at in range(0, len(text), 5))
    words = (
        sum(_DIGITS[char] * power for char, power in zip(block, _POWERS, strict=True))
        for block in blocks
    )
    return b"".join((word % 2**32).to_bytes(4, "big") for word in words)
