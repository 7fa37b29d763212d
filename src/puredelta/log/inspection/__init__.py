"""What the log says of a version, as Arrow tables for people and programs to look at."""
