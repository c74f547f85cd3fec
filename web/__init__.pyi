from .answer_view import view_answer as view_answer
from .connections import Connections as Connections
from .rated_answer import render_answer as render_answer
from .rating_app import RatingApp as RatingApp
from .rating_meaning import MeaningOfRatings as MeaningOfRatings
from .security import Access as Access, Visitor as Visitor
from .server import server_settings as server_settings
from .view_app import ViewApp as ViewApp
