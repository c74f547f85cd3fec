"""The times that a text names, as windows of a table."""
