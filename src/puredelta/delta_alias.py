"""`import delta` as this package, for code written for delta-spark."""

import sys
from types import ModuleType

import puredelta
from puredelta import exceptions, session, tables, version
from puredelta.engine.exceptions import public
from puredelta.errors.classes import DeltaRuntimeError

__all__ = ["install_as_delta"]


def install_as_delta() -> None:
    """Let `import delta` mean this package, so that code written for delta-spark runs unchanged.

    `delta`, `delta.tables`, `delta.exceptions`, `delta.pip_utils` and `delta.version` become the
    very modules of ours; `delta.connect` has the names of the same ones. Safe to call twice and
    before any session.

    Raises:
        DeltaRuntimeException: PUREDELTA_REAL_DELTA_IMPORTED when another `delta` is imported.
    """
    if _is_distribution_of_ours():
        return
    for name, module in _MODULES.items():
        known = sys.modules.get(name)
        if known is not None and known is not module:
            path = getattr(known, "__file__", None) or name
            raise public(DeltaRuntimeError("PUREDELTA_REAL_DELTA_IMPORTED", path=path))
    sys.modules.update(_MODULES)
    for name, module in _MODULES.items():
        package, _, part = name.rpartition(".")
        if package:
            # After `import delta.pip_utils`, Python reads the module from its package.
            setattr(sys.modules[package], part, module)


def _connect() -> ModuleType:
    made = ModuleType("delta.connect", "`DeltaTable` for clients of Spark Connect: the same one.")
    made.__dict__.update(__all__=["DeltaTable"], __path__=[], DeltaTable=tables.DeltaTable)
    return made


_MODULES: dict[str, ModuleType] = {
    "delta": puredelta,
    "delta.tables": tables,
    "delta.exceptions": exceptions,
    "delta.pip_utils": session,
    "delta.version": version,
    "delta.connect": _connect(),
    "delta.connect.tables": tables,
    "delta.connect.exceptions": exceptions,
}


def _is_distribution_of_ours() -> bool:
    """Say whether `delta` is imported from the distribution `puredelta-as-delta`."""
    imported = sys.modules.get("delta")
    return imported is not puredelta and getattr(imported, "DeltaTable", None) is tables.DeltaTable
