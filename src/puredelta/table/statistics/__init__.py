"""Statistics of files: from footers, from the log. Protocol: Per-file Statistics."""
