"""Where bytes lie: local disk, object stores, memory; knows nothing of what the bytes mean."""
