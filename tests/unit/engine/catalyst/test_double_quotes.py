"""Double quotes of names and of strings in the text of an expression."""

import pytest

from puredelta.engine.catalyst.double_quotes import names_in_back_quotes, strings_in_single_quotes

TEXTS = {
    '"a" > 0': ("`a` > 0", "'a' > 0"),
    '"a""b" > "c`d"': ('`a"b` > `c``d`', "'a\"\"b' > 'c`d'"),
    '\'"\' = `"` -- "\n': ('\'"\' = `"` -- "\n',) * 2,
    '\'it\\\'s "x"\' /* "y" */': ('\'it\\\'s "x"\' /* "y" */',) * 2,
    '"it\'s \\" \\\\"': ("`it's \\\" \\\\`", "'it\\'s \\\" \\\\'"),
    'r"a\\d"': ("`a\\d`", "r'a\\d'"),
    '"open': ('"open', '"open'),
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_in_double_quotes_alone_changes(text):
    names, strings = TEXTS[text]

    assert names_in_back_quotes(text) == names
    assert strings_in_single_quotes(text) == strings
