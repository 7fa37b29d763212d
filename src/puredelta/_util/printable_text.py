"""Texts of tables, with escapes for what a screen would obey or hide."""


def printable(text: str) -> str:
    r"""Show a text on one line, with escapes for what a terminal or a page would obey or hide.

    These are line breaks and other control characters, and the invisible ones, such as those that
    turn the direction of what follows.

    >>> printable("exe.\u202etxt")
    'exe.\\u202etxt'
    """
    # Names and paths come from other writers: a control character could rewrite what is shown.
    return text if text.isprintable() else "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
