"""What a table and a session have to endure: kills, other writers, hostile files, a long life."""
