"""What every store promises, tried on each kind that needs no server."""

import pytest

from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.storage.object_store import ObjectStore
from puredelta.storage.store import Store
from tests.unit.storage.promises import StorePromises


class TestStores(StorePromises):
    @pytest.fixture(params=["local", "memory", "objects"])
    def store(self, request, tmp_path) -> Store:
        if request.param == "local":
            return LocalStore(str(tmp_path / "t ä#%41"))
        if request.param == "memory":
            return MemoryStore()
        return ObjectStore(f"memory://{tmp_path.name}/some/t ä#%41")
