"""Answers the optimizer: what the log alone can tell of an aggregate or a limit."""

from typing import Any

from puredelta.engine.bridge.callbacks import serve


@serve("scan.shortcut")
def shortcut(_text: str, _plan: Any, _second: Any) -> Any:
    """Return a plan that needs fewer files than the given one, or None."""
    return None
