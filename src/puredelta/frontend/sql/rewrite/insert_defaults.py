"""DEFAULT for a column that the table fills: the statement leaves it out, so that it is computed.

Spark would write null, which is not what the column is generated as, nor its next number.
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
_BEFORE_PLACES = {"BY", ",", "("}
_JOINS_QUERIES = {"EXCEPT", "INTERSECT", "MINUS", "UNION", "|"}

Span = tuple[int, int]
"""Where a piece of a text begins and ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertDefaults:
    """An INSERT that says DEFAULT.

    Attributes:
        text: the whole statement.
        table: the parts of the table's name.
        listed: where its list of columns is, or is to be.
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
        """Return the statement without columns that the table fills, where all rows say DEFAULT.

        Args:
            filled: the names of the columns that the table fills.
            columns: the names of all columns.
            stand_in: a column that may be DEFAULT where no other column is left.

        Returns:
            None where there are none.
        """
        names = self.columns or tuple(columns)
        if any(len(row) != len(names) for row in self.rows):
            return None
        computed = {name.lower() for name in filled}
        gone = {
            place
            for place, name in enumerate(names)
            if name.lower() in computed and self._is_default(place)
        }
        if not gone:
            return None
        kept = {place: name for place, name in enumerate(names) if place not in gone}
        if not kept and stand_in is None:
            return None
        return self._with(kept or {0: str(stand_in)})

    def check_numbered(self, numbered: Collection[str], columns: Sequence[str]) -> None:
        """Refuse DEFAULT in some rows of a column that numbers rows, which would be null there.

        Args:
            numbered: the names of the columns that number rows.
            columns: the names of all columns.

        Raises:
            DeltaAnalysisError: PUREDELTA_DEFAULT_IN_SOME_ROWS.
        """
        names = self.columns or tuple(columns)
        wanted = {name.lower() for name in numbered}
        for place, name in enumerate(names):
            said = {_says_default(self.text[slice(*row[place])]) for row in self._whole(names)}
            if name.lower() in wanted and len(said) > 1:
                raise DeltaAnalysisError("PUREDELTA_DEFAULT_IN_SOME_ROWS", columnName=name)

    def _whole(self, names: Sequence[str]) -> list[tuple[Span, ...]]:
        return [row for row in self.rows if len(row) == len(names)]

    def _with(self, columns: Mapping[int, str]) -> str:
        """Return the statement with some of its values, each for a column."""
        listed = ", ".join(map(quoted, columns.values()))
        pieces, at = [self.text[: self.listed[0]], f" ({listed}) "], self.listed[1]
        for row in self.rows:
            pieces.append(self.text[at : row[0][0]])
            pieces.append(",".join(self.text[slice(*row[place])] for place in columns) + " ")
            at = row[-1][1]
        return "".join((*pieces, self.text[at:]))

    def _is_default(self, place: int) -> bool:
        return all(_says_default(self.text[slice(*row[place])]) for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateDefaults:
    """An UPDATE that says DEFAULT.

    Attributes:
        text: the whole statement.
        table: the parts of the table's name.
        alias: what the statement calls the table; None where it gives no other name.
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
        kept = [span for span in self.assignments if self._set(span, names) not in computed]
        if len(kept) == len(self.assignments):
            return None
        texts = [self.text[slice(*span)] for span in kept]
        if not kept:
            # A value that the table computed is computed again where it is assigned to itself.
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
        is_field = bool(before) and before[0] in columns
        table = [part.lower() for part in self.table] if self.alias is None else [self.alias]
        is_whole = not before or (not is_field and before == table[-len(before) :])
        return name if is_whole else None


def update_of_defaults(text: str) -> UpdateDefaults | None:
    """Read an UPDATE that says DEFAULT; None for any other text."""
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
    """Read an INSERT of VALUES or of one SELECT that says DEFAULT; None for any other text."""
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
    if not any(_says_default(text[slice(*span)]) for row in rows or () for span in row):
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


def _says_default(value: str) -> bool:
    return without_comments(value).upper() == _DEFAULT


def _rows(text: str, start: int) -> tuple[tuple[Span, ...], ...] | None:
    """Return where the values of `(...), (...)` are; None where something else follows."""
    rows: list[tuple[Span, ...]] = []
    end = 0
    for place, piece in lexemes(text, start):
        if place < end or not piece.strip() or piece in {",", ";"}:
            continue
        closing = closed(text, place)
        if piece != "(" or closing is None:
            return None
        rows.append(tuple(_spans(text, place + 1, closing)))
        end = closing + 1
    return tuple(rows)


def _select_list(text: str, start: int) -> tuple[tuple[Span, ...], ...] | None:
    """Return where the values of a SELECT are; None where there is another SELECT beside it."""
    end, last, is_sorted = None, "", False
    for place, depth, piece in _depths(text, start, len(text)):
        word = piece.upper()
        if depth == 0 and word in _JOINS_QUERIES:
            return None
        if end is None and depth == 0 and word in _ENDS_LIST:
            end = place
        is_sorted |= end is not None and word == "BY"
        if is_sorted and word.isdigit() and last in _BEFORE_PLACES:
            return None  # it may be the place of a value, which would be another one's then
        last = word if word.strip() else last
    spans = tuple(_spans(text, start, len(text) if end is None else end))
    # Nobody knows yet how many columns a star stands for.
    has_star = any(without_comments(text[slice(*span)]).endswith("*") for span in spans)
    return None if has_star else (spans,)


def _spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield where the values between commas are, with what blanks are around them."""
    first = start
    for place, depth, piece in _depths(text, start, end):
        if depth == 0 and piece == ",":
            yield first, place
            first = place + 1
    yield first, end


def _depths(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield pieces with how many parentheses they are in."""
    depth = 0
    for place, piece in lexemes(text, start):
        if place >= end:
            return
        depth -= piece in {")", "]"}
        yield place, depth, piece
        depth += piece in {"(", "["}
