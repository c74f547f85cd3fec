"""A judge's card: what one judge is worth on sets that people rated, as a value that can be kept, shown and collected."""
