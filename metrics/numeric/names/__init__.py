"""What a text calls the series, columns and cells of a table."""
