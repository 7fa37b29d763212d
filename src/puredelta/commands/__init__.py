"""What a statement does: a frozen value each, with one method; may know `engine` and below."""
