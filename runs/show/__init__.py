"""What is shown of a run: its numbers, verdict, tables and samples."""
