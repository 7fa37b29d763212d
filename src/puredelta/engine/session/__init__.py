"""What we ask of a Spark session: its settings, its catalog, its objects."""
