"""Sizes in bytes as people read them."""

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024


def size_text(size: float) -> str:
    """Write a size in bytes for people: `1.5 KiB`."""
    for unit in _UNITS:
        if size < _STEP or unit == _UNITS[-1]:
            break
        size /= _STEP
    return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
