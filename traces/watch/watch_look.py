"""A look: the answers of a watch as arrays, what the estimate says of them, and what a watch says first."""

import json
from collections.abc import Callable, Mapping
from datetime import date, timedelta

import numpy as np

from ...meta_eval.arrays import Floats
from ...meta_eval.estimate import Estimate
from ...meta_eval.monitoring.look import Look
from ...meta_eval.monitoring.production_answers import ProductionAnswers
from ...metrics.catalogue import higher_is_better
from ...presentation.figure import Figure, Kind
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, phrase
from .watch_settings import WatchSettings, describe_bound
from .watch_state import StoredAlarm, StoredLook, WatchRecords, WatchRow

LookAt = Callable[[ProductionAnswers, WatchSettings, date], Look]
"""Estimates from all answers so far; the date is that of day 0."""


def read_production_answers(records: WatchRecords) -> tuple[ProductionAnswers, date, int]:
    """Reads all answers of a watch.

    A metric whose low values are good is turned round, so that high is good everywhere.

    Returns:
        The answers, the date of day 0 (of no answers an arbitrary one), and how many rated answers are left out, since
        people chose them: the draw for the raters had left them out.
    """
    settings = records.settings
    columns = list(zip(*records.table(), strict=True)) or [()] * 9
    times, sessions, _, _, _, _, queue_states, _, segments = columns
    cheap, judge_chance, judged, rating_chance, ratings = (
        np.array(columns[place], dtype=float)  # NaN where the store has nothing
        for place in (2, 3, 4, 5, 7)
    )
    # who annotated an answer that the draw had left out chose it; without raters nobody draws
    is_left = np.array(queue_states, dtype=object) == "left"
    was_left_out = is_left & ~np.isnan(rating_chance)
    chosen = int(np.sum(was_left_out & ~np.isnan(ratings)))
    ratings[was_left_out] = np.nan
    if not settings.ratings.raters:
        _take_annotations_for_random(ratings, rating_chance)
    days = [date.fromisoformat(time[:10]).toordinal() for time in times]
    first = min(days, default=date(2000, 1, 1).toordinal())
    groups = {session: number for number, session in enumerate(dict.fromkeys(sessions))}
    own_segments = [json.loads(values) for values in segments] if settings.segments else []
    low, high = settings.ratings.levels
    answers = ProductionAnswers(
        days=np.array(days, dtype=np.intp) - first,
        groups=np.array([groups[session] for session in sessions], dtype=np.intp),
        cheap=cheap if higher_is_better(settings.cheap) else -cheap,
        judge_chance=judge_chance,
        judged=judged if higher_is_better(settings.metric) else -judged,
        rating_chance=rating_chance,
        ratings=ratings,
        segments={name: [values.get(name) for values in own_segments] for name in settings.segments},
        rating_min=low,
        rating_max=high,
        bad_below=settings.ratings.bad_below,
        is_awaited=~is_left & np.isnan(ratings) if settings.ratings.raters else None,
    )
    return answers, date.fromordinal(first), chosen


def _take_annotations_for_random(ratings: Floats, rating_chance: Floats) -> None:
    """Without a queue, annotations of the tool count as if the answers that have one were drawn at random from all."""
    is_rated = ~np.isnan(ratings)
    if is_rated.any():
        rating_chance[:] = is_rated.mean()


def look_at_answers(answers: ProductionAnswers, settings: WatchSettings, first_day: date) -> Look:
    """Estimates from all answers so far, as a confidence sequence; of no answers a look that says so."""
    if not len(answers.days):
        nothing = Estimate(None, problem="there is no answer yet")
        return Look(0, 0, 0, 0, nothing, nothing, (), (), ("there is no answer yet",))
    from ...meta_eval.monitoring import look_at_production

    def day_name(day: int) -> str:
        return (first_day + timedelta(days=day)).isoformat()

    bounds = [entry.bound for entry in settings.bounds]
    return look_at_production(answers, bounds, window=max(1, settings.window.days), day_name=day_name)


def give_watch_verdict(row: WatchRow, stored: StoredLook, standing: list[StoredAlarm]) -> Verdict:
    """Says how good the answers are at a look, since when an alarm stands, and how many answers there are."""
    look, began = stored.look, stored.first_day if stored.look.answers else row.began[:10]  # of the first answer
    counts = {"judged": look.judged, "rated": look.rated, "look": stored.number}
    sentence, used = "on_watched", look.mean.n
    if look.mean.value is not None and used is not None and used < look.rated:
        sentence, counts = "on_watched_part", counts | {"used": used}
    rests_on = phrase(sentence, answers=phrase("answers", count=look.answers), date=began, **counts)
    return Verdict(
        (
            ("chatbot", _describe_answers(row, stored)),
            ("alarms", *_describe_alarms(standing, began, look)),
            ("rests_on", rests_on),
        )
    )


def _describe_answers(row: WatchRow, stored: StoredLook) -> Phrase:
    look = stored.look
    if look.mean.value is None and look.answers and not look.mean.n:
        ratings = row.settings.get("ratings")
        has_raters = isinstance(ratings, Mapping) and bool(ratings.get("raters"))
        if has_raters or not look.rated:
            return phrase("none_picked_rated" if has_raters else "none_rated")
    if look.mean.value is None:
        few = look.mean.problem or phrase("too_few_ratings")
        return phrase("no_estimate", why=few if look.answers else phrase("no_answer_yet"))
    scale = phrase("nothing")
    if levels := read_levels(row):
        lowest, highest = (Figure("rating", level) for level in levels)
        scale = phrase("scale_of" if lowest.value in {0, 1} else "scale_from", lowest=lowest, highest=highest)
    return phrase(
        "watched",
        mean=Figure("mean", look.mean.value),
        scale=scale,
        likely=_likely("mean", look.mean),
        bad=Figure("rate", look.bad_share.value),
        bad_likely=_likely("rate", look.bad_share),
    )


def read_levels(row: WatchRow) -> tuple[float, float] | None:
    """The lowest and the highest rating; None where an earlier version kept none."""
    ratings = row.settings.get("ratings")
    low, _, high = str(ratings.get("scale", "") if isinstance(ratings, Mapping) else "").rpartition("-")
    try:
        levels = (float(low), float(high))
    except ValueError:
        return None
    return levels if levels[0] < levels[1] else None


def _describe_alarms(standing: list[StoredAlarm], began: str, look: Look) -> tuple[Phrase, ...]:
    unsure = ", ".join(describe_bound(state.bound) for state in look.bounds if state.beyond)
    if not standing and unsure:
        return phrase("no_alarm_yet", date=began, bound=unsure), phrase("no_alarm_yet_shortly")
    if not standing:
        return (phrase("no_alarm", date=began),)
    first, *others = sorted(standing, key=lambda alarm: alarm.since or alarm.fired_at)
    broken = ", ".join(dict.fromkeys([first.bound, *(alarm.bound for alarm in others)]))
    values = {"count": len(standing), "date": (first.since or first.fired_at)[:10], "bound": broken}
    return tuple(phrase(name, **values) for name in ("alarms", "alarms_undated", "alarms_shortly"))


def _likely(kind: Kind, estimate: Estimate) -> Phrase:
    if estimate.low is None or estimate.high is None:
        return phrase("nothing")
    return phrase("likely", low=Figure(kind, estimate.low), high=Figure(kind, estimate.high))
