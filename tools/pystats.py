"""Measure how the code is written, and fail where a size limit is broken.

Standard library only; never imports the code that it measures::

    pystats.py src/puredelta --tests tests                        # the figures
    pystats.py src/puredelta --top 10                             # and the largest of everything
    pystats.py src/puredelta --max-module 500 --max-function 60   # exit 1 when a limit is broken

What the figures mean:

lines       physical lines of a file. Files with no code (an empty ``__init__``) are left out.
code        lines that hold at least one token that is neither comment nor docstring.
function    every ``def``, less ``@overload`` stubs and bodies that say nothing. Its length is its
            *code* lines, signature included.
public      neither the name nor any enclosing class starts with ``_``; not nested in a function.
annotated   parameters (less self and cls) and returns that carry an annotation, over all of them.
branches    1 + if/for/while/except/case/and/or/ternary/comprehension-if inside one function.
"""

import argparse
import ast
import io
import json
import math
import statistics
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
NOT_CODE = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)
BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.IfExp,
    ast.match_case,
    ast.BoolOp,
)
UNTYPED_RAISES = ("ValueError", "RuntimeError", "Exception")


@dataclass(frozen=True)
class Function:
    """One function or method."""

    where: str
    code_lines: int
    branches: int
    public: bool
    documented: bool
    slots: int  # parameters and return that could carry an annotation
    annotated: int


@dataclass(frozen=True)
class Class:
    """One class statement."""

    where: str
    lines: int
    methods: int
    public: bool
    documented: bool


@dataclass
class Module:
    """One parsed file."""

    path: Path
    lines: int
    code: frozenset[int]
    comment_lines: int
    suppressions: int
    documented: bool
    functions: list[Function] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    raises: Counter[str] = field(default_factory=Counter)
    broad_excepts: int = 0


# ---------------------------------------------------------------------------------------- reading


def read_folder(root: Path) -> list[Module]:
    """Parse every Python file below a folder that holds code."""
    modules = [read_module(path) for path in sorted(root.rglob("*.py"))]
    return [module for module in modules if module.code]


def read_module(path: Path) -> Module:
    """Parse one file."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    code, comments, suppressions = line_kinds(source, docstring_lines(tree))
    module = Module(
        path,
        len(source.splitlines()),
        frozenset(code),
        len(comments - code),
        suppressions,
        ast.get_docstring(tree) is not None,
    )
    Walker(module).visit(tree)
    return module


def docstring_lines(tree: ast.Module) -> set[int]:
    """Collect the numbers of the lines that docstrings take."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and ast.get_docstring(node):
            first = node.body[0]
            lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def line_kinds(source: str, docs: set[int]) -> tuple[set[int], set[int], int]:
    """Split a source into code lines, comment lines and the number of suppressions."""
    code: set[int] = set()
    comments: set[int] = set()
    suppressions = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
            suppressions += "type: ignore" in token.string or "noqa" in token.string
        elif token.type not in NOT_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    return code - docs, comments, suppressions


class Walker(ast.NodeVisitor):
    """Collects the functions, classes and raises of one module, knowing what encloses them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.scope: list[ast.ClassDef | FunctionNode] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Note a class and look inside."""
        self.module.classes.append(
            Class(
                self.name(node),
                (node.end_lineno or node.lineno) - node.lineno + 1,
                sum(isinstance(child, FUNCTIONS) for child in node.body),
                self.is_public(node),
                ast.get_docstring(node) is not None,
            )
        )
        self.descend(node)

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        """Note a function and look inside."""
        marks = {decorator_name(mark) for mark in node.decorator_list}
        if "overload" not in marks and not is_stub(node):
            in_class = bool(self.scope) and isinstance(self.scope[-1], ast.ClassDef)
            slots, annotated = annotation_slots(
                node, bound=in_class and "staticmethod" not in marks
            )
            span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            self.module.functions.append(
                Function(
                    self.name(node),
                    sum(line in self.module.code for line in span),
                    branches(node),
                    self.is_public(node) and marks.isdisjoint({"override", "setter", "deleter"}),
                    ast.get_docstring(node) is not None,
                    slots,
                    annotated,
                )
            )
        self.descend(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  ast dictates the name

    def visit_Raise(self, node: ast.Raise) -> None:
        """Note what is raised."""
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(raised, ast.Name):
            self.module.raises[raised.id] += 1
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Note an except that takes everything."""
        caught = getattr(node.type, "id", None)
        self.module.broad_excepts += node.type is None or caught in {"Exception", "BaseException"}
        self.generic_visit(node)

    def descend(self, node: ast.ClassDef | FunctionNode) -> None:
        """Visit what is inside a definition."""
        self.scope.append(node)
        self.generic_visit(node)
        self.scope.pop()

    def name(self, node: ast.ClassDef | FunctionNode) -> str:
        """Say where a definition stands."""
        dotted = ".".join(part.name for part in [*self.scope, node])
        return f"{self.module.path}:{node.lineno} {dotted}"

    def is_public(self, node: ast.ClassDef | FunctionNode) -> bool:
        """Say whether users of the module may use it."""
        nested = any(isinstance(outer, FUNCTIONS) for outer in self.scope)
        return not nested and not any(n.name.startswith("_") for n in [*self.scope, node])


def decorator_name(node: ast.expr) -> str:
    """Give ``overload`` for ``@overload``, ``@typing.overload`` and ``@overload(...)``."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_stub(node: FunctionNode) -> bool:
    """Say whether the body says nothing, as in a protocol."""
    return all(
        isinstance(child, ast.Pass)
        or (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant))
        for child in node.body
    )


def annotation_slots(node: FunctionNode, *, bound: bool) -> tuple[int, int]:
    """Count the places for an annotation and those that have one."""
    positional = [*node.args.posonlyargs, *node.args.args][bound:]
    rest = [argument for argument in (node.args.vararg, node.args.kwarg) if argument]
    given = [a.annotation is not None for a in [*positional, *node.args.kwonlyargs, *rest]]
    if node.name not in {"__init__", "__post_init__"}:
        given.append(node.returns is not None)
    return len(given), sum(given)


def branches(function: FunctionNode) -> int:
    """Count paths in a function; nested functions are left to themselves."""
    total = 1
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            continue
        if isinstance(node, BRANCHES):
            total += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 1
        elif isinstance(node, ast.comprehension):
            total += len(node.ifs)
        pending.extend(ast.iter_child_nodes(node))
    return total


# ---------------------------------------------------------------------------------------- figures


def percentile(values: Sequence[float], rank: float) -> float:
    """Return the value at or below which a share of the values lie (nearest rank); 0 for none."""
    ordered = sorted(values)
    return ordered[math.ceil(rank * len(ordered)) - 1] if ordered else 0


def weighted_median(sizes: Sequence[int]) -> int:
    """Return the size such that half of the total lies in items no larger."""
    half, seen = sum(sizes) / 2, 0
    for size in sorted(sizes):
        seen += size
        if seen >= half:
            return size
    return 0


def share(part: int, whole: int) -> float:
    """Return a part in per cent; 0 of nothing."""
    return round(100 * part / whole, 1) if whole else 0.0


def figures(modules: Sequence[Module], tests: Sequence[Module]) -> dict[str, float]:
    """Compute every figure, in the order in which they are printed."""
    code = sum(len(module.code) for module in modules)
    return {
        **size_figures(modules),
        **care_figures(modules, code),
        "test code : code": round(sum(len(m.code) for m in tests) / max(code, 1), 2),
        "test functions": sum(
            function.where.rsplit(" ", 1)[-1].rsplit(".", 1)[-1].startswith("test")
            for module in tests
            for function in module.functions
        ),
    }


def size_figures(modules: Sequence[Module]) -> dict[str, float]:
    """How large modules, functions and classes are."""
    lines = [module.lines for module in modules]
    functions = [function for module in modules for function in module.functions]
    sizes = [function.code_lines for function in functions]
    classes = [found.lines for module in modules for found in module.classes]
    return {
        "modules": len(modules),
        "code lines": sum(len(module.code) for module in modules),
        "module lines: median": round(statistics.median(lines)) if lines else 0,
        "module lines: p95": percentile(lines, 0.95),
        "module lines: max": max(lines, default=0),
        "functions": len(sizes),
        "function code lines: median": round(statistics.median(sizes)) if sizes else 0,
        "function code lines: where the median line lives": weighted_median(sizes),
        "function code lines: p95": percentile(sizes, 0.95),
        "function code lines: max": max(sizes, default=0),
        "branches in a function: p95": percentile([f.branches for f in functions], 0.95),
        "class lines: p95": percentile(classes, 0.95),
        "class lines: max": max(classes, default=0),
    }


def care_figures(modules: Sequence[Module], code: int) -> dict[str, float]:
    """How well the code is documented and typed, and what it lets itself off."""
    functions = [function for module in modules for function in module.functions]
    public = [function for function in functions if function.public]
    classes = [found for module in modules for found in module.classes if found.public]
    raises = sum((module.raises for module in modules), Counter[str]())
    thousands = max(code, 1) / 1000
    return {
        "public functions documented, %": share(sum(f.documented for f in public), len(public)),
        "public classes documented, %": share(sum(c.documented for c in classes), len(classes)),
        "modules documented, %": share(sum(m.documented for m in modules), len(modules)),
        "annotated, %": share(sum(f.annotated for f in functions), sum(f.slots for f in functions)),
        "comment lines per 100 code": round(
            sum(m.comment_lines for m in modules) / thousands / 10, 1
        ),
        "suppressions per 1,000 code": round(sum(m.suppressions for m in modules) / thousands, 1),
        "broad excepts per 1,000 code": round(sum(m.broad_excepts for m in modules) / thousands, 2),
        "raises that are ValueError/RuntimeError/Exception, %": share(
            sum(raises[name] for name in UNTYPED_RAISES), sum(raises.values())
        ),
    }


def largest(modules: Sequence[Module], count: int) -> Iterator[str]:
    """List the largest modules, functions and classes."""
    yield f"largest {count} modules (lines)"
    for module in sorted(modules, key=lambda m: -m.lines)[:count]:
        yield f"  {module.lines:>6}  {module.path}"
    yield f"largest {count} functions (code lines)"
    functions = [function for module in modules for function in module.functions]
    for function in sorted(functions, key=lambda f: -f.code_lines)[:count]:
        yield f"  {function.code_lines:>6}  {function.where}"
    yield f"largest {count} classes (lines, methods)"
    classes = [found for module in modules for found in module.classes]
    for found in sorted(classes, key=lambda c: -c.lines)[:count]:
        yield f"  {found.lines:>6} {found.methods:>4}  {found.where}"


def broken_limits(modules: Sequence[Module], max_module: int, max_function: int) -> list[str]:
    """Name each module and function that is over its limit, one a line."""
    return [
        *(
            f"{module.path}: {module.lines} lines (limit {max_module})"
            for module in modules
            if module.lines > max_module
        ),
        *(
            f"{function.where}: {function.code_lines} code lines (limit {max_function})"
            for module in modules
            for function in module.functions
            if function.code_lines > max_function
        ),
    ]


def main() -> int:
    """Run the command line that the top of the file shows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path, help="folder of the package")
    parser.add_argument("--tests", type=Path, help="folder of its tests")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    parser.add_argument("--top", type=int, default=0, help="list so many of the largest")
    parser.add_argument(
        "--max-module", type=int, default=sys.maxsize, help="lines a module may have"
    )
    parser.add_argument(
        "--max-function", type=int, default=sys.maxsize, help="code lines a function may have"
    )
    args = parser.parse_args()
    modules = read_folder(args.package)
    found = figures(modules, read_folder(args.tests) if args.tests else [])
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(f"{value:>10,}  {name}" for name, value in found.items()))
    if args.top:
        print("\n".join(largest(modules, args.top)))
    broken = broken_limits(modules, args.max_module, args.max_function)
    print("".join(f"{line}\n" for line in broken), file=sys.stderr, end="")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
