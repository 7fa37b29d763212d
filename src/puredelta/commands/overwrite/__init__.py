"""What a write takes away: nothing, all, what a condition selects, partitions, rows matched."""
