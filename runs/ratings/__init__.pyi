from .answer_pair import AnswerPair as AnswerPair
from .judgement import Judgement as Judgement
from .rating_queue import OpenItem as OpenItem, QueueSettings as QueueSettings, RatingQueue as RatingQueue
