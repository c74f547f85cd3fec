from .answer_pair import AnswerPair as AnswerPair
from .item_queue import QueueSettings as QueueSettings
from .item_queue import Rating as Rating
from .pair_queue import PairQueue as PairQueue
from .rating_queue import Assignment as Assignment
from .rating_queue import RatingQueue as RatingQueue
