"""What is raised where a package is used that `pip install puredelta` alone does not bring."""

import sys
from importlib import import_module
from types import ModuleType

from puredelta.errors.classes import DeltaPackageMissingError

_PYSPARK = "pyspark"


def import_optional(package: str, user: str) -> ModuleType:
    """Import a package that an extra of puredelta brings, such as pandas.

    Args:
        package: its name, which is that of the extra, too.
        user: what needs it, for the message.

    Raises:
        DeltaPackageMissingError: PUREDELTA_PACKAGE_MISSING.
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as missing:
        if missing.name != package:
            raise
        facts = {"user": user, "package": package, "python": sys.executable}
        raise DeltaPackageMissingError("PUREDELTA_PACKAGE_MISSING", **facts) from None


def without_spark(missing: ModuleNotFoundError) -> ImportError:
    """Return what to raise for an import of PySpark that failed: the remedy, where it is missing.

    Args:
        missing: as Python raised it; returned where it is about another module.
    """
    if (missing.name or "").partition(".")[0] != _PYSPARK:
        return missing
    return DeltaPackageMissingError("PUREDELTA_PYSPARK_MISSING", python=sys.executable)
