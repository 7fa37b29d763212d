"""A V2 checkpoint once more under the classic name, for clients that do not know the other names.

Where only a checkpoint is left of old versions, a client that passes over it takes the table for
broken. Under the name that the client knows, it reads a protocol that it must refuse by name.

Protocol: V2 Spec, Backward Compatibility.
"""

from puredelta.log.actions import AddFile, RemoveFile, decode_commit
from puredelta.log.names import checkpoint_name
from puredelta.log.summaries.checkpoint_v2 import top_level_parquet
from puredelta.storage.store import Store


def write_classic_copy(store: Store, version: int, name: str) -> bool:
    """Write the top-level file of a V2 checkpoint again under the classic name of its version.

    Args:
        store: Where the table lies.
        version: The version of the checkpoint.
        name: Its top-level file.

    Returns:
        Was it written? Not where a checkpoint has the name, or where the top-level file has files.

    Raises:
        DeltaError: The store failed, or the checkpoint is damaged.
    """
    data = store.read(name)
    if name.endswith(".json"):
        actions = decode_commit(data, name)
        # A copy has no columns for files, so without sidecars it would show an empty table.
        if any(isinstance(action, AddFile | RemoveFile) for action in actions):
            return False
        data = top_level_parquet(actions)
    return store.put_if_absent(checkpoint_name(version), data)
