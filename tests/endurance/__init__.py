"""What a table and a session have to endure; each part has a short profile and a long one."""
