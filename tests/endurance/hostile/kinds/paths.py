"""Paths of data files that lead elsewhere, or nowhere.

An absolute path is legal: a shallow clone has many. So only what is not the table's rows counts.
"""

from tests.endurance.hostile.edits import (
    commit,
    copied_add,
    fields,
    folder,
    link,
    newest_add,
    pipe,
    raw_field,
    rewrite,
)
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("paths")


def _path(path: str) -> Change:
    return fields("add", path=path)


def _spelled(spell: str) -> Change:
    """Spell the path of the newest file in another way."""
    return rewrite("add", lambda add: {**add, "path": spell.format(add["path"])})


KINDS.refused("path_of_nothing", _path(""))
KINDS.refused("path_of_a_dot", _path("."))
KINDS.refused("path_of_two_dots", _path(".."))
KINDS.refused("path_of_a_slash", _path("/"))
KINDS.refused("path_of_slashes", _path("////"))
KINDS.refused("path_of_the_log", _path("_delta_log"))
KINDS.refused("path_of_a_commit", _path("_delta_log/00000000000000000000.json"))
KINDS.refused("path_of_a_nul", _path("a\0b.parquet"))
KINDS.refused("path_of_an_escaped_nul", _path("a%00b.parquet"))
KINDS.refused("path_of_a_newline", _path("a\nb.parquet"))
KINDS.refused("path_of_length", _path("x" * 100_000))
KINDS.refused("path_of_many_folders", _path("x/" * 50_000))
KINDS.refused("path_of_many_dots", _path("../" * 50_000 + "x"))
KINDS.refused("path_of_bad_escapes", _path("%zz%"))
KINDS.refused("path_of_escaped_bytes", _path("%ff%fe.parquet"))
KINDS.refused("path_of_text_outside", _path("../outside/canary.txt"))
KINDS.refused("path_of_escaped_dots", _path("%2e%2e/outside/canary.txt"))
KINDS.refused("path_of_passwords", _path("/etc/passwd"))
KINDS.refused("path_of_passwords_as_a_url", _path("file:///etc/passwd"))
KINDS.refused("path_of_another_host", _path("file://host/etc/passwd"))
KINDS.refused("path_of_a_device", _path("/dev/zero"))
KINDS.refused("path_of_standard_input", _path("/dev/stdin"))
KINDS.refused("path_of_a_random_device", _path("/dev/urandom"))
KINDS.refused("path_of_a_process", _path("/proc/self/mem"))
KINDS.refused("path_of_a_website", _path("http://localhost:1/x.parquet"))
KINDS.refused("path_of_an_unknown_scheme", _path("evil://x/y"))
KINDS.refused("path_of_a_jar", _path("jar:file:///x.jar!/y"))
KINDS.refused("path_of_data", _path("data:text/plain,x"))
KINDS.refused("path_of_a_drive", _path("C:\\Windows\\x"))
KINDS.refused("path_of_a_share", _path("\\\\host\\share\\x"))
KINDS.refused("path_of_a_wildcard", _path("*.parquet"))
KINDS.refused("path_of_a_command", _path("$(touch outside)"))
KINDS.refused("path_of_a_number", fields("add", path=7))
KINDS.refused("path_of_null", fields("add", path=None))
KINDS.either("path_of_surrogates", raw_field("add", "path", r'"\ud800"'))
KINDS.refused("path_that_is_not_text", raw_field("add", "path", '"\udcff"'))
KINDS.either("path_of_a_space", _path(" "))
KINDS.sound("path_with_a_dot", _spelled("./{}"))
KINDS.sound("path_with_dots_inside", _spelled("a/../{}"))
KINDS.sound("path_out_and_in", _spelled("../table/{}"))
KINDS.sound("path_with_a_second_slash", _spelled(".//{}"))
KINDS.sound(
    "path_with_spare_escapes",
    rewrite("add", lambda add: {**add, "path": "".join(f"%{ord(c):02x}" for c in add["path"])}),
)
KINDS.sound(
    "path_spelled_twice", lambda path: copied_add(path="./" + str(newest_add(path)["path"]))(path)
)
KINDS.sound(
    "path_spelled_absolutely",
    lambda path: rewrite("add", lambda add: {**add, "path": f"file://{path}/{add['path']}"})(path),
)
KINDS.unknown(
    "path_spelled_absolutely_twice",
    lambda path: copied_add(path=f"file:{path}/./{newest_add(path)['path']}")(path),
)
KINDS.unknown(
    "path_removed_in_another_spelling",
    lambda path: commit(
        {"remove": {"path": f"{path}/x/../{newest_add(path)['path']}", "dataChange": True}}
    )(path),
)
KINDS.refused("file_that_is_a_folder", lambda path: folder(str(newest_add(path)["path"]))(path))
KINDS.refused("file_that_is_a_pipe", lambda path: pipe(str(newest_add(path)["path"]))(path))
KINDS.refused(
    "file_that_leads_nowhere", lambda path: link(str(newest_add(path)["path"]), "nowhere")(path)
)
KINDS.refused(
    "file_that_is_empty",
    lambda path: ((path / str(newest_add(path)["path"])).write_bytes(b""), None)[1],
)
KINDS.refused(
    "file_that_is_cut",
    lambda path: ((path / str(newest_add(path)["path"])).write_bytes(b"PAR1" * 9), None)[1],
)
KINDS.either("file_of_another_size", fields("add", size=3))
