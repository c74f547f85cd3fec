"""Scoring: a plan run in a session, resumed or in batches; what it asks and its progress."""
