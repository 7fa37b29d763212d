"""VACUUM: deletes files that no version within the retention needs, and says what that costs."""
