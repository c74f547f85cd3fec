from .answer_pair import AnswerPair as AnswerPair
from .item_queue import QueueSettings as QueueSettings, Rating as Rating
from .pair_queue import PairQueue as PairQueue
from .rating_queue import Assignment as Assignment, RatingQueue as RatingQueue
