"""How a version is made: what was read, what may follow whom, and the one step that writes.

May know `table`, `log`, `storage`, `schema` and `errors`; knows nothing of Spark. The only effects
are in `committer` (put-if-absent of the next version), in `commit_loop` (reading the winning
commits) and in `post_commit` (the checkpoint that follows a commit).
"""
