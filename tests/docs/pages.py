"""Pages of the documentation: their blocks of code, and the outputs that stand under them."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(
    r"^```(?P<language>python|sql)\n(?P<code>.*?)^```\n"
    r"(?P<gap>\n*)(?:^```output\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)

# What differs from run to run, or from one PySpark to another: how wide a table is, ids in the
# names of files and of expressions, the time of a commit, durations, and sizes in bytes.
_VARIABLE = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"#\d+L?\b"), "#ID"),
    (re.compile(r"20(?:2[6-9]|[3-9]\d)-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?"), "TIME"),
    (re.compile(r"(\w*(?:TimeMs|Bytes|_bytes|[sS]ize)\w*'?(?: -> |=|: ))'?\d+"), r"\1SIZE"),
    (re.compile(r"\b[\d,]+(?:\.\d+)?(?: of [\d,]+)? (?:bytes|B|[KMG]iB)\b"), "SIZE"),
    (re.compile(r"-{2,}"), "-"),
    (re.compile(r"[ \t]+"), " "),
]

# A result that is wider than a page is not shown under its statement.
_WIDEST_RESULT = 120


class Block(NamedTuple):
    """A block of code of a page.

    Attributes:
        line: The line of the page on which the code starts.
        language: `python` or `sql`.
        code: The code.
        output: What the page shows as its output, or None.
        end: The position in the page behind the code.
        next: The position in the page behind the output.
    """

    line: int
    language: str
    code: str
    output: str | None
    end: int
    next: int


def blocks_of(page: Path) -> list[Block]:
    """Find the blocks that can run, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            line=text.count("\n", 0, found.start()) + 2,
            language=found["language"],
            code=found["code"],
            output=found["output"],
            end=found.start("gap"),
            next=found.start("gap") if found["output"] is None else found.end(),
        )
        for found in _BLOCK.finditer(text)
    ]


def run_block(page: Path, block: Block, folder: Path, names: dict[str, Any]) -> str:
    """Run a block in a folder that takes the place of /tmp, and return what it prints."""
    code = block.code.replace("/tmp/", f"{folder}/")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if block.language == "sql":
            _run_statements(names["spark"], code)
        else:
            # The line numbers of a failure are those of the page.
            source = "\n" * (block.line - 1) + code
            exec(compile(source, str(page), "exec"), names)
    output = "\n".join(line.rstrip() for line in printed.getvalue().splitlines())
    warehouse = str(names["spark"].conf.get("spark.sql.warehouse.dir", "")).removeprefix("file:")
    output = output.strip("\n").replace(str(folder), "/tmp")
    return _aligned(output.replace(warehouse, "/home/me/spark-warehouse"))


def _run_statements(spark: Any, code: str) -> None:
    statements = [part for part in code.split(";") if part.strip()]
    for number, statement in enumerate(statements, 1):
        result = spark.sql(statement)
        rows = result.collect()
        if number == len(statements) and rows:
            table = io.StringIO()
            with contextlib.redirect_stdout(table):
                result.show(truncate=False)
            if len(table.getvalue().split("\n")[0]) <= _WIDEST_RESULT:
                print(table.getvalue())


def _aligned(output: str) -> str:
    """Lay the tables out anew in which a path has got another length."""
    return re.sub(
        r"(?:^[|+].*[|+]$\n?){3,}", lambda table: _one_aligned(table[0]), output, flags=re.MULTILINE
    )


def _one_aligned(table: str) -> str:
    if len({len(line) for line in table.splitlines()}) == 1:
        return table
    rows = [line[1:-1].split("|") for line in table.splitlines() if line.startswith("|")]
    widths = [max(len(cell.strip()) for cell in column) for column in zip(*rows, strict=True)]
    border = "+" + "+".join("-" * width for width in widths) + "+"
    header, *others = (
        "|"
        + "|".join(cell.strip().ljust(width) for cell, width in zip(row, widths, strict=True))
        + "|"
        for row in rows
    )
    return "\n".join([border, header, border, *others, border]) + "\n" * table.endswith("\n")


def is_like(shown: str, output: str) -> bool:
    """Say whether an output is the one of the page, except for what differs from run to run.

    `...` in the page stands for any text. The order of lines does not count, as Spark guarantees
    none.
    """
    wanted, printed = _comparable(shown), _comparable(output)
    if sorted(wanted) == sorted(printed):
        return True
    pattern = re.escape("\n".join(wanted)).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, "\n".join(printed), re.DOTALL) is not None


def _comparable(text: str) -> list[str]:
    sizes: set[int] = set()
    lines = []
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line[1:].removesuffix("|").split("|")]
            # The header comes first, and behind a border.
            if not lines or (lines[-1].startswith("+") and not sizes):
                sizes = {number for number, cell in enumerate(cells) if "size" in cell.lower()}
            line = "|".join("SIZE" if i in sizes else cell for i, cell in enumerate(cells))  # noqa: PLW2901
        elif not line.startswith("+"):
            sizes = set()
        for pattern, replacement in _VARIABLE:
            line = pattern.sub(replacement, line)  # noqa: PLW2901
        lines.append(line.strip())
    return [line for line in lines if line]


def write_outputs(page: Path, outputs: list[tuple[Block, str]]) -> None:
    """Put what the blocks print under them; an output that is right stays as it is written."""
    text = page.read_text(encoding="utf-8")
    for block, output in reversed(outputs):
        if block.output is not None and output and is_like(block.output, output):
            continue
        below = f"\n```output\n{output}\n```\n" if output else ""
        text = text[: block.end] + below + text[block.next :]
    page.write_text(text, encoding="utf-8")


def check_outputs(page: Path, outputs: list[tuple[Block, str]]) -> list[str]:
    """Return what is wrong with the outputs that a page shows."""
    return [
        f"{page.name}:{block.line} prints\n{output}\nand the page shows\n{block.output}"
        for block, output in outputs
        if not is_like(block.output or "", output)
    ]
