"""Scoring: a plan run in a session, resumed, in batches, or over Parquet files; what it asks and its progress."""
