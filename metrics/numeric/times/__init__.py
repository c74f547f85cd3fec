"""The times that a text names, as windows of a table."""

from .calendar_times import WORD, any_of, count_of, days, ordinal_of, span, whole_weeks
from .periods import find_times

__all__ = ["WORD", "any_of", "count_of", "days", "find_times", "ordinal_of", "span", "whole_weeks"]
