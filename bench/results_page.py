"""The page of results: each benchmark can put its own section in the place of the old one."""

from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"

GENERATED = "Generated and identity columns on a table of "
CONVERT = "CONVERT TO DELTA of "
CHANGES = "Changes of rows on a table of "
MERGE_CASES = "MERGE into "
MAINTENANCE = "Maintenance ("
STREAMS = "Streams from a Delta table into a Delta table"
DELTALAKE = "Beside deltalake "
SCALE = "Tables that grow"
LARGE_LOG = "A table of 100,000 files in 100 JSON commits"

_ORDER = (
    GENERATED,
    CONVERT,
    CHANGES,
    MERGE_CASES,
    MAINTENANCE,
    STREAMS,
    DELTALAKE,
    SCALE,
    LARGE_LOG,
)


def put(begin: str, section: str) -> None:
    """Put a section into the page.

    Args:
        begin: With what it begins, one of those above.
        section: Its text.
    """
    page = RESULTS.read_text(encoding="utf-8")
    following = next(one for one in _ORDER[_ORDER.index(begin) + 1 :] if f"\n{one}" in page)
    before, _, after = page.partition(f"\n{following}")
    kept = before.partition(f"\n{begin}")[0].rstrip()
    RESULTS.write_text(f"{kept}\n\n{section.strip()}\n\n{following}{after}", encoding="utf-8")
