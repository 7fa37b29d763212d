"""Small things that know nothing of Delta."""
