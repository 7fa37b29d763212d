"""SQL scripts, `BEGIN ... END`: where the statements inside of them are.

Spark parses a script as a whole and by itself. What it cannot parse is found by tokens, and gets
another text before.
"""

from collections.abc import Iterator

from puredelta.frontend.sql.tokens import Tokens

Span = tuple[int, int]
"""Where a statement begins and ends in the text of a script."""

_HANDLERS = ("EXIT", "CONTINUE")
# Words behind which the statements of a block begin, after a condition or a query.
_UP_TO = dict.fromkeys(("IF", "ELSEIF", "CASE", "WHEN"), "THEN") | {"WHILE": "DO", "FOR": "DO"}
# Words behind which statements begin at once.
_OPENING = ("ELSE", "LOOP", "REPEAT")
# Words with which a line of a script begins that is no statement for a table.
_OF_SCRIPTS = ("END", "UNTIL", "DECLARE", "LEAVE", "ITERATE")


def statements_of_script(text: str) -> list[Span]:
    """Return where statements are in a script, those within its loops and branches included.

    Args:
        text: any SQL.

    Returns:
        The spans, in order, without the semicolons; none for a text that is no script.

    >>> text = "BEGIN IF x > 1 THEN OPTIMIZE t; END IF; SELECT 1; END"
    >>> [text[start:end] for start, end in statements_of_script(text)]
    ['OPTIMIZE t', 'SELECT 1']
    """
    tokens = Tokens(text)
    _take_label(tokens)
    if not tokens.sees("BEGIN"):
        return []
    return list(_statements(tokens))


def _statements(tokens: Tokens) -> Iterator[Span]:
    while tokens.next_word:
        if not (_opens_block(tokens) or tokens.take(";")):
            start, is_of_script = tokens.place, tokens.next_word in _OF_SCRIPTS
            # Behind END, CASE is the statement that ends.
            tokens.take("END", "CASE")
            _go_to(tokens, ";")
            if start < tokens.place and not is_of_script:
                yield start, tokens.place


def _opens_block(tokens: Tokens) -> bool:
    """Take what stands before the first statement of a block; False where none begins."""
    _take_label(tokens)
    if tokens.take("BEGIN"):
        tokens.take("NOT", "ATOMIC") or tokens.take("ATOMIC")
        return True
    if any(tokens.take(word) for word in _OPENING):
        return True
    if tokens.next_word in _UP_TO:
        word = _UP_TO[tokens.next_word]
        # The word itself may be CASE, a statement with a THEN of its own.
        tokens.skip()
        _go_to(tokens, word)
        tokens.skip()
        return True
    return _takes_handler(tokens)


def _take_label(tokens: Tokens) -> None:
    """Take the label of a block."""
    place = tokens.place
    if tokens.word() is None or not tokens.take(":"):
        tokens.go_to(place)


def _takes_handler(tokens: Tokens) -> bool:
    """Take `DECLARE EXIT HANDLER FOR conditions`, behind which its statement begins."""
    if not any(tokens.take("DECLARE", kind, "HANDLER", "FOR") for kind in _HANDLERS):
        return False
    while True:
        if tokens.take("SQLSTATE"):
            tokens.take("VALUE")
            tokens.string()
        elif not tokens.take("NOT", "FOUND"):
            tokens.name()
        if not tokens.take(","):
            return True


def _go_to(tokens: Tokens, word: str) -> None:
    """Pass over all tokens up to a word that is in no CASE expression."""
    depth = 0
    while tokens.next_word:
        if not depth and tokens.sees(word):
            return
        depth += tokens.sees("CASE")
        depth -= bool(depth) and tokens.sees("END")
        tokens.skip()
