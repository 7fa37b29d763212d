"""Version checksums: read, written, compared. Protocol: Version Checksum File."""
