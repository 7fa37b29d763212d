"""DEFAULT for a column that the table fills: the statement leaves it out, so that it is computed.

Spark would write null instead of the generated value or the next identity value.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.sql.lexer import (
    GAP,
    NAME,
    TABLE,
    closed,
    lexemes,
    parts_of,
    unquoted,
    without_comments,
)
from puredelta.schema.column_path import quoted

_DEFAULT = "DEFAULT"
_INSERT = re.compile(
    rf"{GAP}*INSERT{GAP}+(?:INTO|OVERWRITE)(?:{GAP}+TABLE)?{GAP}+"
    rf"(?!IDENTIFIER{GAP}*\()(?P<table>{TABLE})(?P<options>{GAP}*WITH{GAP}*(?=\())?",
    re.IGNORECASE | re.DOTALL,
)
_QUERY = re.compile(
    rf"{GAP}*(?P<columns>\({GAP}*{NAME}{GAP}*(?:,{GAP}*{NAME}{GAP}*)*\){GAP}*)?"
    r"(?P<verb>VALUES|SELECT)\b",
    re.IGNORECASE | re.DOTALL,
)
_UPDATE = re.compile(
    rf"{GAP}*UPDATE{GAP}+(?!IDENTIFIER{GAP}*\()(?P<table>{TABLE})"
    rf"(?:{GAP}+(?:AS{GAP}+)?(?!(?:SET|AS)\b)(?P<alias>{NAME}))?{GAP}+SET\b",
    re.IGNORECASE | re.DOTALL,
)
_TO_DEFAULT = re.compile(
    rf"{GAP}*(?P<column>{TABLE}){GAP}*={GAP}*DEFAULT{GAP}*\Z", re.IGNORECASE | re.DOTALL
)
_ENDS_LIST = {
    *("CLUSTER", "DISTRIBUTE", "FROM", "GROUP", "HAVING", "LATERAL"),
    *("LIMIT", "OFFSET", "ORDER", "SORT", "WHERE", "WINDOW", ";"),
}
_BEFORE_ORDINALS = {"BY", ",", "("}
_JOINS_QUERIES = {"EXCEPT", "INTERSECT", "MINUS", "UNION", "|"}

Span = tuple[int, int]
"""Where a piece of a text begins and ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertDefaults:
    """An INSERT that contains DEFAULT.

    Attributes:
        text: the whole statement.
        table: the parts of the table's name.
        listed: where its list of columns is, or where it belongs.
        columns: the names in that list.
        rows: where the values of each row are.
    """

    text: str
    table: tuple[str, ...]
    listed: Span
    columns: tuple[str, ...]
    rows: tuple[tuple[Span, ...], ...]

    def without(
        self, filled: Collection[str], columns: Sequence[str], stand_in: str | None
    ) -> str | None:
        """Return the statement without columns that the table fills, where all rows have DEFAULT.

        Args:
            filled: the names of the columns that the table fills.
            columns: the names of all columns.
            stand_in: a column that may be DEFAULT where no other column is left.

        Returns:
            None where there are none.
        """
        names = self.columns or tuple(columns)
        # Spark reports rows that have too many or too few values.
        if any(len(row) != len(names) for row in self.rows):
            return None
        computed = {name.lower() for name in filled}
        left_out = {
            position
            for position, name in enumerate(names)
            if name.lower() in computed and self._is_default(position)
        }
        if not left_out:
            return None
        rest = {position: name for position, name in enumerate(names) if position not in left_out}
        if not rest and stand_in is None:
            return None
        # An INSERT names at least one column: where none is left, another column is DEFAULT.
        return self._with(rest or {0: str(stand_in)})

    def check_numbered(self, numbered: Collection[str], columns: Sequence[str]) -> None:
        """Refuse DEFAULT in some rows of an identity column, which would be null there.

        Args:
            numbered: the names of the identity columns.
            columns: the names of all columns.

        Raises:
            DeltaAnalysisError: PUREDELTA_DEFAULT_IN_SOME_ROWS.
        """
        names = self.columns or tuple(columns)
        wanted = {name.lower() for name in numbered}
        for position, name in enumerate(names):
            rows = self._complete_rows(names)
            answers = {_is_default_word(self.text[slice(*row[position])]) for row in rows}
            if name.lower() in wanted and len(answers) > 1:
                raise DeltaAnalysisError("PUREDELTA_DEFAULT_IN_SOME_ROWS", columnName=name)

    def _complete_rows(self, names: Sequence[str]) -> list[tuple[Span, ...]]:
        return [row for row in self.rows if len(row) == len(names)]

    def _with(self, columns: Mapping[int, str]) -> str:
        """Return the statement with some of its values, each for a column."""
        listed = ", ".join(map(quoted, columns.values()))
        pieces, at = [self.text[: self.listed[0]], f" ({listed}) "], self.listed[1]
        for row in self.rows:
            pieces.append(self.text[at : row[0][0]])
            values = (self.text[slice(*row[position])] for position in columns)
            pieces.append(",".join(values) + " ")
            at = row[-1][1]
        return "".join((*pieces, self.text[at:]))

    def _is_default(self, position: int) -> bool:
        return all(_is_default_word(self.text[slice(*row[position])]) for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateDefaults:
    """An UPDATE that contains DEFAULT.

    Attributes:
        text: the whole statement.
        table: the parts of the table's name.
        alias: the alias of the table in the statement; None where it has none.
        assignments: where they are.
    """

    text: str
    table: tuple[str, ...]
    alias: str | None
    assignments: tuple[Span, ...]

    def without(self, filled: Collection[str], columns: Sequence[str]) -> str | None:
        """Return the statement without assignments of DEFAULT to columns that the table fills.

        Args:
            filled: the names of the columns that the table fills.
            columns: the names of all columns.

        Returns:
            None where there are none.
        """
        computed = {name.lower() for name in filled}
        names = {name.lower() for name in columns}
        rest = [span for span in self.assignments if self._set(span, names) not in computed]
        if len(rest) == len(self.assignments):
            return None
        texts = [self.text[slice(*span)] for span in rest]
        if not rest:
            # An UPDATE needs an assignment. A column that the table computes may be assigned to
            # itself: its value is computed again.
            own = quoted(str(self._set(self.assignments[0], names)))
            texts = [f" {own} = {own} "]
        start, end = self.assignments[0][0], self.assignments[-1][1]
        return f"{self.text[:start]}{','.join(texts)} {self.text[end:]}"

    def _set(self, span: Span, columns: Collection[str]) -> str | None:
        """Return the column that an assignment sets to DEFAULT, in lower case."""
        found = _TO_DEFAULT.match(self.text[slice(*span)])
        if found is None:
            return None
        *before, name = (part.lower() for part in parts_of(found["column"]))
        # `t.a` is a field of the column `t` if there is one, else the column `a` of the table `t`.
        # An alias hides the table's own name.
        is_field = bool(before) and before[0] in columns
        table = [part.lower() for part in self.table] if self.alias is None else [self.alias]
        is_whole = not before or (not is_field and before == table[-len(before) :])
        return name if is_whole else None


def update_of_defaults(text: str) -> UpdateDefaults | None:
    """Read an UPDATE that contains DEFAULT; None for any other text."""
    head = _UPDATE.match(text) if _DEFAULT in text.upper() else None
    if head is None:
        return None
    pieces = _depths(text, head.end(), len(text))
    ends = (at for at, depth, piece in pieces if depth == 0 and piece.upper() in {"WHERE", ";"})
    spans = tuple(_spans(text, head.end(), next(ends, len(text))))
    if not any(_TO_DEFAULT.match(text[slice(*span)]) for span in spans):
        return None
    alias = None if head["alias"] is None else unquoted(head["alias"]).lower()
    return UpdateDefaults(text=text, table=parts_of(head["table"]), alias=alias, assignments=spans)


def insert_of_defaults(text: str) -> InsertDefaults | None:
    """Read an INSERT of VALUES or of one SELECT with DEFAULT; None for any other text."""
    head = _INSERT.match(text) if _DEFAULT in text.upper() else None
    if head is None:
        return None
    start = head.end()
    if head["options"]:
        start = (closed(text, start) or start) + 1
    query = _QUERY.match(text, start)
    if query is None:
        return None
    is_values = query["verb"].upper() == "VALUES"
    rows = _rows(text, query.end()) if is_values else _select_list(text, query.end())
    if not any(_is_default_word(text[slice(*span)]) for row in rows or () for span in row):
        return None
    listed = query.span("columns") if query["columns"] else (query.start("verb"),) * 2
    names = re.findall(NAME, without_comments(query["columns"] or ""))
    return InsertDefaults(
        text=text,
        table=parts_of(head["table"]),
        listed=listed,
        columns=tuple(map(unquoted, names)),
        rows=rows or (),
    )


def _is_default_word(value: str) -> bool:
    return without_comments(value).upper() == _DEFAULT


def _rows(text: str, start: int) -> tuple[tuple[Span, ...], ...] | None:
    """Return where the values of `(...), (...)` are; None where something else follows."""
    rows: list[tuple[Span, ...]] = []
    end = 0
    for position, piece in lexemes(text, start):
        if position < end or not piece.strip() or piece in {",", ";"}:
            continue
        closing = closed(text, position)
        if piece != "(" or closing is None:
            return None
        rows.append(tuple(_spans(text, position + 1, closing)))
        end = closing + 1
    return tuple(rows)


def _select_list(text: str, start: int) -> tuple[tuple[Span, ...], ...] | None:
    """Return where the values of a SELECT are; None where there is another SELECT beside it."""
    end, last, is_sorted = None, "", False
    for position, depth, piece in _depths(text, start, len(text)):
        word = piece.upper()
        # The other SELECT would need the same columns left out.
        if depth == 0 and word in _JOINS_QUERIES:
            return None
        if end is None and depth == 0 and word in _ENDS_LIST:
            end = position
        is_sorted |= end is not None and word == "BY"
        if is_sorted and word.isdigit() and last in _BEFORE_ORDINALS:
            # ORDER BY 2 counts the values of the list: without one of them, 2 is another value.
            return None
        last = word if word.strip() else last
    spans = tuple(_spans(text, start, len(text) if end is None else end))
    # How many columns a star stands for is known only after Spark has resolved it.
    has_star = any(without_comments(text[slice(*span)]).endswith("*") for span in spans)
    return None if has_star else (spans,)


def _spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield where the values between commas are, with the blanks around them."""
    first = start
    for position, depth, piece in _depths(text, start, end):
        if depth == 0 and piece == ",":
            yield first, position
            first = position + 1
    yield first, end


def _depths(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield pieces with how many parentheses they are in."""
    depth = 0
    for position, piece in lexemes(text, start):
        if position >= end:
            return
        depth -= piece in {")", "]"}
        yield position, depth, piece
        depth += piece in {"(", "["}
