"""What the adapters read of a scan handle is what `ScanHandle` has."""

import re
from pathlib import Path

import msgspec

from puredelta.engine.scan.handle import ScanHandle

JAVA = Path(__file__).parents[2] / "src/puredelta/engine/bridge/java"

# `handle.get("root")`, `table.handle().has("rowIds")`, `Bridge.parse(handle).get("mapped")`,
# `Bridge.textOrNull(handle, "name")`, `Bridge.isTrue(handle, "pinned")`
HANDLE = r"(?:\bhandle(?:\(\))?|Bridge\.parse\([\w.]*handle(?:\(\))?\))"
READ = re.compile(HANDLE + r"\.(get|path|has|hasNonNull)\(\"(\w+)\"\)(\.?)")
OPTIONAL = re.compile(r"(?:textOrNull|isTrue)\(" + HANDLE + r", \"(\w+)\"\)")

FIELDS = {field.encode_name: field for field in msgspec.structs.fields(ScanHandle)}


def reads():
    """Yield what is read of handles: the file, the method, the key, "." if a value is a must."""
    for path in sorted(JAVA.rglob("*.java")):
        text = path.read_text(encoding="utf-8")
        for method, key, then in READ.findall(text):
            yield path.name, method, key, then
        for key in OPTIONAL.findall(text):
            yield path.name, "optional", key, ""


def test_keys_that_adapters_read_are_fields():
    found = list(reads())

    assert {"root", "name", "version", "pinned", "mapped", "rowIds"} <= {
        key for _, _, key, _ in found
    }
    assert [read for read in found if read[2] not in FIELDS] == []


def test_adapters_count_on_no_value_that_has_a_default():
    wrong = [
        (file, key)
        for file, method, key, then in reads()
        if method == "get" and then and not FIELDS[key].required
    ]

    assert wrong == []


def test_handles_have_one_name_in_the_adapters():
    # Another variable would hide what it reads from the tests above.
    others = [
        line.strip()
        for path in JAVA.rglob("*.java")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(
            r"\bJsonNode (?!handle\b)\w+ = .*(?:\.get\(\"handle\"\)|\bhandle\(\))[^.]", line
        )
    ]

    assert others == []
