"""How large a score or a rating may be."""

LARGEST_NUMBER = 1e100
"""Of larger numbers there is no mean with an interval: the square of a difference would be no number."""
