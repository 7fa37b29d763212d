"""puredelta under the package name of delta-spark."""

from delta.pip_utils import configure_spark_with_delta_pip
from delta.tables import DeltaTable
from delta.version import __version__

__all__ = ["DeltaTable", "__version__", "configure_spark_with_delta_pip"]
