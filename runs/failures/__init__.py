"""The bad answers of runs, grouped by why they are bad."""
