from .rating_queue import Assignment as Assignment
from .rating_queue import QueueSettings as QueueSettings
from .rating_queue import Rating as Rating
from .rating_queue import RatingQueue as RatingQueue
