"""Which tests one process runs, when several do (`pytest -n 2`)."""

from xdist.scheduler import LoadScopeScheduling


class ByCost(LoadScopeScheduling):
    """Keeps together what shares something costly: a file, or the tables of other engines."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file.startswith("tests/interop/"):
            return "tests/interop"
        # A scenario needs nothing but a session.
        return nodeid if file.startswith("tests/parity/") else file
