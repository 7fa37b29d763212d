"""The change data feed: its columns, its schemas, its files. Protocol: Change Data Files."""
