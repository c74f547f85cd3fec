from .answer_view import render_answer as render_answer, view_answer as view_answer
from .connections import Connections as Connections
from .rating_app import RatingApp as RatingApp
from .rating_meaning import (
    MeaningOfRatings as MeaningOfRatings,
    has_scores as has_scores,
    predict_queue_stability as predict_queue_stability,
)
from .server import server_settings as server_settings
from .sessions import Access as Access, Visitor as Visitor
from .view_app import ViewApp as ViewApp
