from .answer_pair import AnswerPair as AnswerPair
from .judgement import Judgement as Judgement, QueueSettings as QueueSettings
from .rating_queue import OpenItem as OpenItem, RatingQueue as RatingQueue
