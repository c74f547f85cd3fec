"""The times that a text names, as windows of a table."""

from .calendar_times import any_of, count_of, days, span, whole_weeks
from .periods import find_times

__all__ = ["any_of", "count_of", "days", "find_times", "span", "whole_weeks"]
