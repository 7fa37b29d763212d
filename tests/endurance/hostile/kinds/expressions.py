"""Constraints, generation expressions and defaults that are read without Spark: none is run."""

from typing import Any

from tests.endurance.hostile.edits import fields, schema, setting
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("expressions")
DEPTH = 20_000


def constraint(text: str) -> Change:
    """Give the table a CHECK constraint."""
    return setting("delta.constraints.hostile", text)


def column_says(key: str, text: Any) -> Change:
    """Put a value into the metadata of the first column."""

    def edit(plain: dict[str, Any]) -> None:
        plain["fields"][0]["metadata"][key] = text

    return schema(edit)


_WRITES = fields("protocol", minWriterVersion=6)
TEXTS = {
    "nothing": "",
    "blanks": " \n\t",
    "garbage": ")(",
    "a_method_of_java": "java_method('java.lang.Runtime', 'getRuntime') IS NULL",
    "a_reflection": "reflect('java.lang.System', 'exit', 1) = '0'",
    "a_statement": "id > 0; DROP TABLE t",
    "a_comment": "id > 0 -- comment",
    "an_open_comment": "id > 0 /* comment",
    "a_subquery": "id IN (SELECT 1)",
    "a_file": "id > (SELECT count(*) FROM text.`/etc/passwd`)",
    "parentheses": "(" * DEPTH + "id" + ")" * DEPTH,
    "negations": "NOT " * DEPTH + "(id > 0)",
    "signs": "id > " + "- " * DEPTH + "1",
    "conjunctions": " AND ".join(["id > 0"] * DEPTH),
    "an_open_string": "name = 'x",
    "an_open_name": "`id > 0",
    "long_numbers": "id > " + "9" * 100_000,
    "control_characters": "id > 0\0\x1b[2J",
    "letters_beyond_16_bits": "name = '\N{GRINNING FACE}'",
    "unknown_columns": "nothing > 0",
    "variables": "id > ${env.HOME}",
    "parameters": "id > :x AND id > ?",
}
"""Expressions that no table should have, by what is strange about them."""

for _name, _text in TEXTS.items():
    KINDS.sound(f"constraint_of_{_name}", constraint(_text), _WRITES)
    KINDS.either(
        f"generation_by_{_name}", column_says("delta.generationExpression", _text), _WRITES
    )
KINDS.sound("invariant_of_garbage", column_says("delta.invariants", "{garbage"))
KINDS.sound("invariant_of_depth", column_says("delta.invariants", "[" * 200_000))
KINDS.sound(
    "invariant_of_other_types", column_says("delta.invariants", '{"expression":{"expression":7}}')
)
KINDS.sound(
    "invariant_of_a_method_of_java",
    column_says("delta.invariants", '{"expression":{"expression":"reflect(\'a\',\'b\')"}}'),
)
KINDS.either(
    "default_of_a_method_of_java",
    column_says("CURRENT_DEFAULT", "java_method('java.lang.System','exit')"),
)
KINDS.either("default_for_old_rows_of_a_subquery", column_says("EXISTS_DEFAULT", "(SELECT 1)"))
KINDS.either("default_for_old_rows_of_garbage", column_says("EXISTS_DEFAULT", "'x"))
KINDS.either("default_for_old_rows_of_a_number", column_says("EXISTS_DEFAULT", 7))
KINDS.either("identity_of_garbage", column_says("delta.identity.start", "x"))
KINDS.either("identity_of_huge_steps", column_says("delta.identity.step", 2**70))
