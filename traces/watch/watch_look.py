"""A look: the answers of a watch as arrays, and what the estimate says of them."""

import json
from collections.abc import Callable
from datetime import date, timedelta

import numpy as np

from ...meta_eval.arrays import Floats
from ...meta_eval.estimate import Estimate
from ...meta_eval.monitoring.look import Look
from ...meta_eval.monitoring.production_answers import ProductionAnswers
from ...metrics.catalogue import higher_is_better
from .watch_records import WatchRecords
from .watch_settings import WatchSettings

LookAt = Callable[[ProductionAnswers, WatchSettings, date], Look]
"""Estimates from all answers so far; the date is that of day 0."""


def read_production_answers(settings: WatchSettings, records: WatchRecords) -> tuple[ProductionAnswers, date, int]:
    """Reads all answers of a watch.

    A metric whose low values are good is turned round, so that high is good everywhere.

    Returns:
        The answers, the date of day 0 (of no answers an arbitrary one), and how many rated answers are left out, since
        people chose them: the draw for the raters had left them out.
    """
    signs = [1.0 if higher_is_better(metric) else -1.0 for metric in (settings.cheap, settings.metric)]
    has_raters = bool(settings.ratings.raters)
    days: list[int] = []
    groups: dict[str, int] = {}
    group_numbers: list[int] = []
    columns: list[tuple[float, ...]] = []
    chosen = 0
    segments: dict[str, list[str | None]] = {name: [] for name in settings.segments}
    for time, session, cheap, judge_chance, judged, rating_chance, queue_state, rating, own_segments in records.table():
        days.append(date.fromisoformat(time[:10]).toordinal())
        group_numbers.append(groups.setdefault(session, len(groups)))
        # who annotated an answer that the draw had left out chose it; without raters nobody draws
        is_usable = rating is not None and (queue_state != "left" or rating_chance is None)
        chosen += rating is not None and not is_usable
        columns.append(
            (
                *(_number(cheap) * signs[0], _number(judge_chance), _number(judged) * signs[1]),
                *(_number(rating_chance), _number(rating if is_usable else None)),
            )
        )
        if segments:
            values = json.loads(own_segments)
            for name, column in segments.items():
                column.append(values.get(name))
    low, high = settings.ratings.levels
    table = np.array(columns, dtype=float).reshape(len(columns), 5)
    if not has_raters:
        _take_annotations_for_random(table)
    first = min(days, default=date(2000, 1, 1).toordinal())
    answers = ProductionAnswers(
        days=np.array(days, dtype=np.intp) - first,
        groups=np.array(group_numbers, dtype=np.intp),
        cheap=table[:, 0],
        judge_chance=table[:, 1],
        judged=table[:, 2],
        rating_chance=table[:, 3],
        ratings=table[:, 4],
        segments=segments,
        rating_min=low,
        rating_max=high,
        bad_below=settings.ratings.bad_below,
    )
    return answers, date.fromordinal(first), chosen


def _take_annotations_for_random(table: Floats) -> None:
    """Without a queue, annotations of the tool count as if the judged answers that have one were drawn at random."""
    is_judged = ~np.isnan(table[:, 2])
    is_rated = is_judged & ~np.isnan(table[:, 4])
    if is_rated.any():
        table[is_judged, 3] = is_rated.sum() / is_judged.sum()


def look_at_answers(answers: ProductionAnswers, settings: WatchSettings, first_day: date) -> Look:
    """Estimates from all answers so far, as a confidence sequence; of no answers a look that says so."""
    if not len(answers.days):
        nothing = Estimate(None, problem="there is no answer yet")
        return Look(0, 0, 0, 0, nothing, nothing, (), (), ("there is no answer yet",))
    from ...meta_eval.monitoring import look_at_production

    def day_name(day: int) -> str:
        return (first_day + timedelta(days=day)).isoformat()

    bounds = [entry.bound for entry in settings.bounds]
    return look_at_production(answers, bounds, window=settings.window_days, day_name=day_name)


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
