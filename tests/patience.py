"""How long tests wait: longer on a machine that has much to do, where all is late."""

import os


def patient(seconds: float) -> float:
    """Return so many seconds times the load of each processor, where that is more than one."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
