"""What Python code calls: `DeltaTable`, its builders, and the results of its methods."""
