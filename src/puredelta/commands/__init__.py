"""What a statement does: a frozen value a statement, with one method; may know `engine` and below."""
