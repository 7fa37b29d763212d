"""Long trials of whole statements: processes killed at chosen calls, and engines that race."""
