"""People's ratings of a trace, used only where their scale is known."""

from collections.abc import Mapping
from typing import Any

from ..eval_sets.logs.trace_row import Trace

UNUSED = "unused_ratings"
"""The key of a trace's metadata with ratings that are not used, and why."""
_NO_SCALE = "nothing tells the scale; give the scores a config with a lowest and a highest value"


def settle_ratings(trace: Trace) -> Trace:
    """Returns a trace with its ratings as a sample takes them; those on no scale stand in its metadata.

    Without a scale a 1 could be the worst of 1 to 5, and the best of 0 to 1.

    Args:
        trace: The trace, with a rating as `trace_rating` reads it.

    Example:
        >>> trace = Trace(1, "trace 1", "t1", "Free?", "Yes.", {}, rating={"human_rating": 1})
        >>> settle_ratings(trace).rest["unused_ratings"]["human_rating"]
        1
    """
    rating = dict(trace.rating)
    if problem := find_problem(rating):
        return trace._replace(rating={}, rest={**trace.rest, UNUSED: {**rating, "problem": problem}})
    if "human_rating" in rating:
        rating["rating"] = rating.pop("human_rating")
    return trace._replace(rating=rating)


def find_problem(rating: Mapping[str, Any]) -> str:
    """Returns why ratings cannot be used, or nothing.

    Args:
        rating: `human_rating`, or `ratings` by rater, with `rating_min` and `rating_max`; may be empty.
    """
    if not rating:
        return ""
    low, high = rating.get("rating_min"), rating.get("rating_max")
    if low is None or high is None:
        return _NO_SCALE
    values = [rating["human_rating"]] if "human_rating" in rating else list(rating.get("ratings", {}).values())
    if not all(isinstance(value, int | float) and low <= value <= high for value in values):
        return f"a rating is no number on the scale {low:g}-{high:g}; correct it, or the scores' config"
    return ""
