"""`puredelta.exceptions` under the name of delta-spark."""

from puredelta.exceptions import *  # noqa: F403  # the same names, all of them
from puredelta.exceptions import __all__ as __all__  # re-exported
