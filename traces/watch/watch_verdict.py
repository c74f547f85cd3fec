"""What a watch says first: how good the answers in production are, which alarms stand, and on what it rests."""

from collections.abc import Mapping

from ...meta_eval.estimate import Estimate
from ...presentation.figure import Figure, Kind
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, phrase
from .watch_state import StoredAlarm, StoredLook, WatchRow


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
            ("alarms", *_describe_alarms(standing, began)),
            ("rests_on", rests_on),
        )
    )


def _describe_answers(row: WatchRow, stored: StoredLook) -> Phrase:
    look = stored.look
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


def _describe_alarms(standing: list[StoredAlarm], began: str) -> tuple[Phrase, ...]:
    if not standing:
        return (phrase("no_alarm", date=began),)
    first = min(standing, key=lambda alarm: alarm.since or alarm.fired_at)
    values = {"count": len(standing), "date": (first.since or first.fired_at)[:10], "bound": first.bound}
    return phrase("alarms", **values), phrase("alarms_shortly", **values)


def _likely(kind: Kind, estimate: Estimate) -> Phrase:
    if estimate.low is None or estimate.high is None:
        return phrase("nothing")
    return phrase("likely", low=Figure(kind, estimate.low), high=Figure(kind, estimate.high))
