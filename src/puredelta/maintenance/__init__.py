"""What keeps a table healthy and needs no Spark: RESTORE, manifests, the health report.

The command line and the session use the same functions. They take a log, a snapshot or a store, and
leave the look-up of tables and settings to the layers above.
"""
