"""Ratings of people: who rates which answer next, what they said, and how it becomes a rated set."""

from .rating_queue import Assignment as Assignment
from .rating_queue import QueueSettings as QueueSettings
from .rating_queue import Rating as Rating
from .rating_queue import RatingQueue as RatingQueue

__all__ = ["Assignment", "QueueSettings", "Rating", "RatingQueue"]
