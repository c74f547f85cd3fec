"""The store: runs, their plans, scores and answers, in SQLite or PostgreSQL; found again by words."""
