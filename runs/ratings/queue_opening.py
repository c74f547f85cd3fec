"""A queue whose items may be answers or pairs of them."""

from ..database import Database
from .item_queue import read_queue_kind
from .pair_queue import PairQueue
from .rating_queue import RatingQueue


def open_item_queue(database: Database, queue: str) -> RatingQueue | PairQueue:
    """Opens a queue of either kind."""
    return PairQueue(database, queue) if read_queue_kind(database, queue) == "pairs" else RatingQueue(database, queue)
